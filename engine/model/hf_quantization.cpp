// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_quantization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/base/text_escape.h"
#include "engine/model/quantization_config.h"
#include "engine/model/quantized_linear.h"

namespace pitwall {

namespace {

using Config = QuantizationConfig;

Error bad_part(const std::string& name, const std::string& what) {
  return {Error::Kind::invalid_input, fmt::format("tensor {} {}", quote_for_message(name), what),
          "The checkpoint is incomplete, or its configuration belongs to another quantisation",
          "Fetch or quantise the model again", name};
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// The tensors that make one linear up. After the first error everything is empty.
class Parts {
 public:
  Parts(const std::string& name, WeightBinder& binder)
      : prefix_(name.substr(0, name.size() - std::string_view("weight").size())), binder_(binder) {
    linear_.name = name;
  }

  bool has(std::string_view part) const { return binder_.has(prefix_ + std::string(part)); }
  QuantizedLinear& linear() { return linear_; }
  void fail(Error error) { errors_.keep(std::move(error)); }
  void fail(std::string_view part, const std::string& what) {
    fail(bad_part(prefix_ + std::string(part), what));
  }

  /// A part that must be there, in one of these types.
  TensorView take(std::string_view part, std::initializer_list<TensorType> types) {
    const TensorView* found = binder_.find(prefix_ + std::string(part));
    if (found == nullptr) {
      fail(part, "is missing beside the linear's other parts");
      return {};
    }
    if (std::find(types.begin(), types.end(), found->type) == types.end()) {
      fail(part, fmt::format("is stored as {}", tensor_type_info(found->type).name));
      return {};
    }
    taken_.push_back(found->name);
    bytes_ += found->bytes;
    return *found;
  }
  TensorView take_scales(std::string_view part) {
    const TensorView view = take(part, {TensorType::f16, TensorType::bf16, TensorType::f32});
    linear_.scale_type = view.type;
    linear_.scales = view.data;
    return view;
  }
  void expect(std::string_view part, const TensorView& view, std::int64_t rows, std::int64_t columns) {
    if (errors_.error() || (view.rows == rows && view.columns == columns)) return;
    fail(part, fmt::format("has shape {} × {}, expected {} × {}", view.rows, view.columns, rows, columns));
  }
  bool failed() const { return errors_.error().has_value(); }

  /// The whole linear, its parts claimed.
  Result<std::optional<TensorView>> finish() {
    if (errors_.error()) return *errors_.error();
    if (linear_.rows < 1 || linear_.columns < 1) return bad_part(linear_.name, "has no numbers");
    take_zero_bias();
    for (std::size_t i = 0; i < taken_.size(); ++i)
      binder_.claim(taken_[i], linear_.type, i == 0 ? linear_.rows * linear_.columns : 0);
    TensorView view{linear_.name, linear_.type, linear_.rows, linear_.columns, nullptr, bytes_};
    view.quantized = std::make_shared<const QuantizedLinear>(std::move(linear_));
    return std::optional(std::move(view));
  }

 private:
  /// Older GPTQ tools wrote a bias of zeros for linears that have none.
  void take_zero_bias() {
    const TensorView* bias = binder_.find(prefix_ + "bias");
    if (bias == nullptr || bias->data == nullptr) return;
    const std::byte* end = bias->data + bias->bytes;
    if (std::all_of(bias->data, end, [](std::byte b) { return b == std::byte{0}; }))
      binder_.claim(bias->name, bias->type, 0);
  }

  const std::string prefix_;
  WeightBinder& binder_;
  QuantizedLinear linear_;
  std::vector<std::string> taken_;
  Bytes bytes_ = 0;
  FirstError errors_;
};

class Assembler final : public WeightAssembler {
 public:
  explicit Assembler(Config config) : config_(std::move(config)) {}

  Result<std::optional<TensorView>> assemble(const std::string& name, WeightBinder& binder) const override {
    if (!name.ends_with(".weight")) return {std::nullopt};
    Parts parts(name, binder);
    const TensorView* plain = binder.find(name);
    switch (config_.method) {
      case Config::Method::none:
        return {std::nullopt};
      case Config::Method::awq:
        if (!parts.has("qweight")) return {std::nullopt};
        read_awq(parts);
        return parts.finish();
      case Config::Method::gptq:
        if (!parts.has("qweight")) return {std::nullopt};
        read_gptq(parts);
        return parts.finish();
      case Config::Method::fp8:
      case Config::Method::compressed_tensors:
        break;
    }
    if (parts.has("weight_packed")) {
      read_packed(parts);
    } else if (plain != nullptr && plain->type == TensorType::f8_e4m3) {
      read_fp8(parts);
    } else if (plain != nullptr && plain->type == TensorType::i8) {
      read_int8(parts);
    } else {
      return {std::nullopt};
    }
    return parts.finish();
  }

 private:
  /// Groups lie along the inputs, and each has a row of scales.
  void read_grouped_scales(Parts& parts) const {
    QuantizedLinear& linear = parts.linear();
    const int size = config_.group_sizes.front();
    linear.group_columns = size == -1 ? linear.columns : size;
    linear.groups =
        ceil_div(std::max<std::int64_t>(linear.columns, 1), std::max<std::int64_t>(linear.group_columns, 1));
    linear.row_stride = 1;
    linear.group_stride = linear.rows;
    parts.expect("scales", parts.take_scales("scales"), linear.groups, linear.rows);
  }

  void read_awq(Parts& parts) const {
    QuantizedLinear& linear = parts.linear();
    const TensorView codes = parts.take("qweight", {TensorType::i32});
    linear.type = TensorType::i4;
    linear.rows = codes.columns * 8;
    linear.columns = codes.rows;
    linear.layout = QuantizedLinear::Codes::awq;
    linear.codes = codes.data;
    read_grouped_scales(parts);
    if (!config_.needs_zeros && !parts.has("qzeros")) return;
    const TensorView zeros = parts.take("qzeros", {TensorType::i32});
    parts.expect("qzeros", zeros, linear.groups, linear.rows / 8);
    linear.zero_layout = QuantizedLinear::Zeros::awq;
    linear.zeros = zeros.data;
  }

  void read_gptq(Parts& parts) const {
    QuantizedLinear& linear = parts.linear();
    const TensorView codes = parts.take("qweight", {TensorType::i32});
    const int per_word = 32 / config_.bits;
    linear.type = config_.bits == 4 ? TensorType::i4 : TensorType::i8;
    linear.rows = codes.columns;
    linear.columns = codes.rows * per_word;
    linear.layout = QuantizedLinear::Codes::input_words;
    linear.codes = codes.data;
    read_grouped_scales(parts);
    if (config_.needs_zeros || parts.has("qzeros")) {
      const TensorView zeros = parts.take("qzeros", {TensorType::i32});
      if (linear.rows % per_word != 0)
        parts.fail("qweight", fmt::format("has {} outputs, no multiple of {}", linear.rows, per_word));
      parts.expect("qzeros", zeros, linear.groups, linear.rows / per_word);
      linear.zero_layout = QuantizedLinear::Zeros::input_words;
      linear.zeros = zeros.data;
      linear.zero_shift = config_.zero_shift;
    }
    if (config_.needs_index || parts.has("g_idx")) read_group_index(parts, "g_idx");
  }

  void read_group_index(Parts& parts, std::string_view part) const {
    const TensorView index = parts.take(part, {TensorType::i32});
    parts.expect(part, index, 1, parts.linear().columns);
    parts.linear().group_index = index.data;
  }

  /// [out, in] as the tensor weight_shape says, since packed columns may be filled up.
  void read_shape(Parts& parts) const {
    const TensorView shape = parts.take("weight_shape", {TensorType::i64, TensorType::i32});
    parts.expect("weight_shape", shape, 1, 2);
    if (parts.failed()) return;
    std::int64_t sides[2];
    for (int i = 0; i < 2; ++i) {
      if (shape.type == TensorType::i64) {
        std::memcpy(&sides[i], shape.data + 8 * i, 8);
      } else {
        std::int32_t side;
        std::memcpy(&side, shape.data + 4 * i, 4);
        sides[i] = side;
      }
      constexpr std::int64_t kMostColumns = std::int64_t{1} << 31;
      if (sides[i] < 1 || sides[i] > kMostColumns) {
        parts.fail("weight_shape", fmt::format("holds {}", sides[i]));
        sides[i] = 1;
      }
    }
    parts.linear().rows = sides[0];
    parts.linear().columns = sides[1];
  }

  void read_packed(Parts& parts) const {
    QuantizedLinear& linear = parts.linear();
    const TensorView codes = parts.take("weight_packed", {TensorType::i32});
    read_shape(parts);
    const int bits = codes.columns == ceil_div(linear.columns, 4) ? 8 : 4;
    linear.type = bits == 4 ? TensorType::i4 : TensorType::i8;
    linear.layout = QuantizedLinear::Codes::output_words;
    linear.codes = codes.data;
    parts.expect("weight_packed", codes, linear.rows, ceil_div(linear.columns * bits, 32));
    read_row_scales(parts);
    if (config_.needs_zeros || parts.has("weight_zero_point")) {
      const TensorView zeros = parts.take("weight_zero_point", {TensorType::i32});
      parts.expect("weight_zero_point", zeros, ceil_div(linear.rows * bits, 32), linear.groups);
      linear.zero_layout = QuantizedLinear::Zeros::row_words;
      linear.zeros = zeros.data;
    }
    if (config_.needs_index || parts.has("weight_g_idx")) read_group_index(parts, "weight_g_idx");
  }

  /// A code in each element of an ordinary matrix.
  static void read_plain_codes(Parts& parts, TensorType type, QuantizedLinear::Codes layout) {
    QuantizedLinear& linear = parts.linear();
    const TensorView codes = parts.take("weight", {type});
    linear.type = type;
    linear.rows = codes.rows;
    linear.columns = codes.columns;
    linear.layout = layout;
    linear.codes = codes.data;
  }

  void read_int8(Parts& parts) const {
    QuantizedLinear& linear = parts.linear();
    read_plain_codes(parts, TensorType::i8, QuantizedLinear::Codes::signed_bytes);
    read_row_scales(parts);
    if (!config_.needs_zeros && !parts.has("weight_zero_point")) return;
    const TensorView zeros = parts.take("weight_zero_point", {TensorType::i8});
    if (zeros.rows * zeros.columns != linear.rows * linear.groups)
      parts.expect("weight_zero_point", zeros, linear.rows, linear.groups);
    linear.zero_layout = QuantizedLinear::Zeros::signed_bytes;
    linear.zeros = zeros.data;
  }

  /// Scales [out, groups]: one for the tensor, one for each output, or groups of a size that the
  /// configuration names.
  void read_row_scales(Parts& parts) const {
    QuantizedLinear& linear = parts.linear();
    const TensorView scales = parts.take_scales("weight_scale");
    linear.group_columns = linear.columns;
    linear.groups = 1;
    if (parts.failed() || take_simple_scales(scales, linear)) return;
    linear.groups = scales.columns;
    linear.row_stride = linear.groups;
    linear.group_stride = 1;
    for (const int size : config_.group_sizes) {
      if (size < 1 || scales.rows != linear.rows || ceil_div(linear.columns, size) != linear.groups) continue;
      linear.group_columns = size;
      return;
    }
    parts.fail(
        "weight_scale",
        fmt::format("has shape {} × {}; for a linear of {} × {} the group sizes in config.json ({}) call "
                    "for other columns",
                    scales.rows, scales.columns, linear.rows, linear.columns,
                    fmt::join(config_.group_sizes, ", ")));
  }

  /// One scale, or one for each output.
  static bool take_simple_scales(const TensorView& scales, QuantizedLinear& linear) {
    const std::int64_t count = scales.rows * scales.columns;
    if (count == 1) return true;  // the strides are 0
    if (count != linear.rows || (scales.rows != 1 && scales.columns != 1)) return false;
    linear.row_stride = 1;
    return true;
  }

  void read_fp8(Parts& parts) const {
    QuantizedLinear& linear = parts.linear();
    read_plain_codes(parts, TensorType::f8_e4m3, QuantizedLinear::Codes::fp8);
    linear.group_columns = std::max<std::int64_t>(linear.columns, 1);
    const std::string_view part = parts.has("weight_scale_inv") ? "weight_scale_inv" : "weight_scale";
    const TensorView scales = parts.take_scales(part);
    if (parts.failed()) return;
    if (config_.block_rows > 0) {
      const std::int64_t rows = ceil_div(linear.rows, config_.block_rows);
      const std::int64_t columns = ceil_div(linear.columns, config_.block_columns);
      if (scales.rows == rows && scales.columns == columns) {
        linear.scale_rows = config_.block_rows;
        linear.group_columns = config_.block_columns;
        linear.groups = linear.row_stride = columns;
        linear.group_stride = 1;
        return;
      }
    }
    if (take_simple_scales(scales, linear)) return;
    parts.fail(part,
               fmt::format("has shape {} × {}; a linear of {} × {} takes one scale, one for each output{}",
                           scales.rows, scales.columns, linear.rows, linear.columns,
                           config_.block_rows > 0 ? fmt::format(" or one for each block of {} × {}",
                                                                config_.block_rows, config_.block_columns)
                                                  : std::string()));
  }

  const Config config_;
};

}  // namespace

Result<std::unique_ptr<const WeightAssembler>> make_weight_assembler(const nlohmann::json& config,
                                                                     const std::filesystem::path& folder) {
  auto read = read_quantization_config(config, folder);
  if (!read) return std::move(read).error();
  if (read->method == Config::Method::none) return {nullptr};
  return {std::make_unique<const Assembler>(*std::move(read))};
}

}  // namespace pitwall
