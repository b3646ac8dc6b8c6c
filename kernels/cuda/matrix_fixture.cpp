// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/matrix_fixture.h"

#include <algorithm>
#include <cstring>

#include "engine/model/quantized_linear.h"

namespace pitwall::cuda {

namespace {

constexpr std::int64_t kCaches = 200'000'000;  // bytes past what any cache holds

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

std::vector<std::uint32_t> random_words(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint32_t> words(count);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 7;
  for (std::uint32_t& word : words) {
    // The multiplier of Knuth's MMIX; the upper half is random enough for codes.
    state = state * 6364136223846793005u + 1442695040888963407u;
    word = static_cast<std::uint32_t>(state >> 32);
  }
  return words;
}

/// What a view's pointers go into.
struct Storage {
  std::vector<std::uint32_t> words, zeros;
  std::vector<std::byte> scales;
  std::vector<std::int32_t> index;
  TensorView view;
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(words.data()); }
};

void put_half(std::byte* at, float value) {
  const std::uint16_t half = float_to_half(value);
  std::memcpy(at, &half, sizeof half);
}

/// Random bytes with d and m in the size that weights have.
void set_block_scales(TensorType type, std::byte* block, float part) {
  const float size = 0.5f + 0.5f * part;
  switch (type) {
    case TensorType::q4_0:
    case TensorType::q5_0:
      return put_half(block, 0.01f * size);
    case TensorType::q4_1:
    case TensorType::q5_1:
      return put_half(block, 0.01f * size), put_half(block + 2, -0.08f * size);
    case TensorType::q8_0:
    case TensorType::iq4_nl:
      return put_half(block, 0.001f * size);
    case TensorType::q2_k:
      return put_half(block + 80, 0.005f * size), put_half(block + 82, 0.005f * size);
    case TensorType::q3_k:
      return put_half(block + 108, 0.001f * size);
    case TensorType::q4_k:
    case TensorType::q5_k:
      return put_half(block, 0.0004f * size), put_half(block + 2, 0.003f * size);
    case TensorType::q6_k:
      return put_half(block + 208, 0.00005f * size);
    case TensorType::iq4_xs:
      return put_half(block, 0.0001f * size);
    default:  // MXFP4: a power of two
      block[0] = static_cast<std::byte>(116 + static_cast<int>(4 * part));
  }
}

void make_blocks(const WeightShape& shape, std::uint64_t seed, Storage& storage) {
  const TensorTypeInfo& info = tensor_type_info(shape.type);
  const std::int64_t bytes = tensor_bytes(shape.type, std::int64_t{shape.rows} * shape.columns);
  if (!is_block_type(shape.type)) {
    const std::vector<std::uint16_t> numbers =
        to_16(random_numbers(seed, size(std::int64_t{shape.rows} * shape.columns), 0.05f),
              shape.type == TensorType::f16);
    storage.words.resize(numbers.size() / 2 + 1);
    std::memcpy(storage.words.data(), numbers.data(), numbers.size() * 2);
  } else {
    storage.words = random_words(seed, size(bytes / 4 + 1));
    auto* block = reinterpret_cast<std::byte*>(storage.words.data());
    const std::vector<std::uint32_t> parts = random_words(seed + 1, size(bytes / info.block_bytes));
    for (const std::uint32_t part : parts) {
      set_block_scales(shape.type, block, static_cast<float>(part >> 8) * 0x1p-24f);
      block += info.block_bytes;
    }
  }
  storage.view.data = storage.bytes();
  storage.view.bytes = bytes;
}

void make_linear(const WeightShape& shape, std::uint64_t seed, Storage& storage) {
  auto linear = std::make_shared<QuantizedLinear>();
  linear->type = shape.type;
  linear->rows = shape.rows;
  linear->columns = shape.columns;
  linear->group_columns = shape.group;
  linear->groups = (shape.columns + shape.group - 1) / shape.group;
  const int per_word = 32 / linear->bits();
  storage.words =
      random_words(seed, size((shape.columns + per_word - 1) / per_word * std::int64_t{shape.rows}));
  if (shape.type == TensorType::f8_e4m3) {
    for (std::uint32_t& word : storage.words) word &= 0xBFBFBFBFu;  // below 2: no NaN
    linear->layout = QuantizedLinear::Codes::fp8;
  } else {
    linear->layout = QuantizedLinear::Codes::input_words;
    linear->zero_layout = QuantizedLinear::Zeros::input_words;
    storage.zeros = random_words(seed + 1, size(linear->groups * (shape.rows / per_word + 1) + 8));
    linear->zeros = reinterpret_cast<const std::byte*>(storage.zeros.data());
    linear->zero_shift = 1;
  }
  linear->codes = storage.bytes();
  linear->scale_type = shape.scale_type;
  linear->row_stride = linear->groups;
  linear->group_stride = 1;
  const float size_of_one = shape.type == TensorType::i4   ? 0.01f
                            : shape.type == TensorType::i8 ? 0.001f
                                                           : 0.05f;
  const std::vector<float> parts = random_numbers(seed + 2, size(linear->groups * shape.rows), 0.2f);
  for (const float part : parts) {
    const float scale = size_of_one * (1 + part);
    const auto put = [&](const auto& number) {
      const auto* from = reinterpret_cast<const std::byte*>(&number);
      storage.scales.insert(storage.scales.end(), from, from + sizeof number);
    };
    if (shape.scale_type == TensorType::f32) put(scale);
    if (shape.scale_type == TensorType::f16) put(float_to_half(scale));
    if (shape.scale_type == TensorType::bf16) put(float_to_bfloat(scale));
  }
  linear->scales = storage.scales.data();
  if (shape.act_order) {
    // A step that shares no factor with the columns visits each once.
    std::int64_t step = shape.columns / 3 | 1;
    while (shape.columns % step == 0 && step > 1) step += 2;
    std::vector<bool> taken(size(shape.columns));
    for (std::int64_t k = 0, at = 0; k < shape.columns; ++k, at = (at + step) % shape.columns) {
      while (taken[size(at)]) at = (at + 1) % shape.columns;
      taken[size(at)] = true;
      storage.index.push_back(static_cast<std::int32_t>(at / shape.group));
    }
    linear->group_index = reinterpret_cast<const std::byte*>(storage.index.data());
  }
  storage.view.quantized = linear;
}

/// `part` over and over until `bytes` are full.
std::vector<std::byte> repeat(const std::vector<std::byte>& part, std::int64_t bytes) {
  std::vector<std::byte> all(size(bytes));
  for (std::size_t at = 0; at < all.size(); at += part.size())
    std::memcpy(all.data() + at, part.data(), std::min(part.size(), all.size() - at));
  return all;
}

}  // namespace

std::string describe(const WeightShape& shape) {
  std::string text = std::to_string(shape.rows) + "×" + std::to_string(shape.columns) + " " +
                     std::string(tensor_type_info(shape.type).name);
  if (is_block_type(shape.type) || is_plain_type(shape.type)) return text;
  text += " in groups of " + std::to_string(shape.group);
  return shape.act_order ? text + " in any order" : text;
}

CaseWeight make_weight(CaseMemory& memory, const WeightShape& shape, std::uint64_t seed, int copies) {
  CaseWeight weight;
  weight.shape = shape;
  WeightShape distinct = shape;
  distinct.rows = weight.distinct_rows();
  Storage storage;
  storage.view.name = "weight";
  storage.view.type = shape.type;
  storage.view.rows = distinct.rows;
  storage.view.columns = shape.columns;
  if (is_block_type(shape.type) || is_plain_type(shape.type)) {
    make_blocks(distinct, seed, storage);
  } else {
    make_linear(distinct, seed, storage);
  }
  weight.numbers.resize(size(std::int64_t{distinct.rows} * shape.columns));
  dequantize_rows(storage.view, 0, distinct.rows, weight.numbers.data());

  const TensorType plain = is_plain_type(shape.type) ? shape.type : TensorType::bf16;
  const MatrixLayout part = matrix_layout(storage.view, plain);
  std::vector<std::byte> values(size(part.value_bytes)), scales(size(part.scale_bytes));
  pack_rows(storage.view, part, 0, distinct.rows, values.data(), scales.data());
  storage.view.rows = shape.rows;
  const MatrixLayout whole = matrix_layout(storage.view, plain);
  weight.bytes = whole.value_bytes + whole.scale_bytes;
  if (copies == kPastCaches)
    copies = static_cast<int>(std::clamp<std::int64_t>(kCaches / weight.bytes, 1, 16));
  const std::int32_t* order = part.order.empty() ? nullptr : memory.upload(part.order);
  values = repeat(values, whole.value_bytes);
  scales = repeat(scales, whole.scale_bytes);
  for (int copy = 0; copy < copies; ++copy) {
    DeviceMatrix& matrix = weight.turns.emplace_back(whole.matrix);
    matrix.values = memory.upload(values);
    if (!scales.empty()) matrix.scales = memory.upload(scales);
    matrix.order = order;
  }
  return weight;
}

CaseRows make_rows(CaseMemory& memory, int rows, int columns, std::uint64_t seed, int shift, bool half) {
  const int stride = shift > 0 ? columns + shift : (columns + 7) / 8 * 8;
  const std::vector<std::uint16_t> numbers =
      to_16(random_numbers(seed, size(std::int64_t{rows} * columns)), half);
  std::vector<std::uint16_t> placed(size(std::int64_t{rows} * stride));
  for (std::int64_t r = 0; r < rows; ++r)
    std::copy_n(numbers.begin() + r * columns, columns, placed.begin() + r * stride + shift);
  CaseRows result{to_float(numbers, half), rows, columns, {}};
  result.device = {reinterpret_cast<bf16*>(memory.upload(placed)) + shift, stride, columns,
                   half ? memory.cut() : nullptr};
  return result;
}

std::vector<double> product(const CaseRows& x, const CaseWeight& weight) {
  const int rows = weight.shape.rows, distinct = weight.distinct_rows(), columns = x.columns;
  std::vector<double> result(size(std::int64_t{x.rows} * rows));
  for (std::int64_t token = 0; token < x.rows; ++token) {
    const float* input = x.numbers.data() + token * columns;
    double* out = result.data() + token * rows;
    for (int r = 0; r < distinct; ++r) {
      const float* numbers = weight.row(r);
      double sums[4] = {};
      int k = 0;
      for (; k + 4 <= columns; k += 4) {
        for (int i = 0; i < 4; ++i) sums[i] += static_cast<double>(input[k + i]) * numbers[k + i];
      }
      for (; k < columns; ++k) sums[0] += static_cast<double>(input[k]) * numbers[k];
      out[r] = sums[0] + sums[1] + sums[2] + sums[3];
    }
    for (int r = distinct; r < rows; ++r) out[r] = out[r % distinct];
  }
  return result;
}

CaseOutput::CaseOutput(CaseMemory& memory, int rows, int columns, bool wide, bool half)
    : memory_(&memory),
      rows_(rows),
      columns_(columns),
      stride_((columns + 7) / 8 * 8),
      wide_(wide),
      cut_(half ? memory.cut() : nullptr) {
  data_ = memory.take(size(std::int64_t{rows} * stride_) * (wide ? 4 : 2));
}
Rows16 CaseOutput::out16() const {
  return wide_ ? Rows16{} : Rows16{static_cast<bf16*>(data_), stride_, columns_, cut_};
}
Rows32 CaseOutput::out32() const {
  return wide_ ? Rows32{static_cast<float*>(data_), stride_, columns_} : Rows32{};
}
void CaseOutput::poison() const {
  memory_->fill(data_, 0xFF, size(std::int64_t{rows_} * stride_) * (wide_ ? 4 : 2));
}
std::vector<float> CaseOutput::read() const {
  const std::size_t count = size(std::int64_t{read_rows()} * stride_);
  const std::vector<float> all =
      wide_ ? memory_->download(static_cast<const float*>(data_), count)
            : to_float(memory_->download(static_cast<const std::uint16_t*>(data_), count), cut_ != nullptr);
  std::vector<float> kept;
  for (std::int64_t r = 0; r < read_rows(); ++r)
    kept.insert(kept.end(), all.begin() + r * stride_, all.begin() + r * stride_ + columns_);
  return kept;
}

std::vector<float> OutputCase::run_once(cudaStream_t stream) {
  for (const CaseOutput& output : outputs) output.poison();
  run(0, stream);
  std::vector<float> numbers;
  for (const CaseOutput& output : outputs) {
    const std::vector<float> part = output.read();
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
  return numbers;
}

Result<CaseCheck> OutputCase::check(cudaStream_t stream) {
  const std::vector<float> first = run_once(stream), second = run_once(stream);
  if (!memory.state()) return memory.state().error();
  const bool same = first.size() == second.size() &&
                    std::memcmp(first.data(), second.data(), first.size() * sizeof(float)) == 0;
  return CaseCheck{relative_l2(first, expected), same};
}

std::function<Result<std::unique_ptr<PreparedCase>>()> prepare_with(std::function<void(OutputCase&)> build) {
  return [build = std::move(build)]() -> Result<std::unique_ptr<PreparedCase>> {
    auto made = std::make_unique<OutputCase>();
    build(*made);
    if (!made->memory.state()) return made->memory.state().error();
    return std::unique_ptr<PreparedCase>(std::move(made));
  };
}

int case_multiprocessors() {
  int device = 0, count = 1;
  if (cudaGetDevice(&device) == cudaSuccess)
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

}  // namespace pitwall::cuda
