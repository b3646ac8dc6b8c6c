// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/execute/reference_ops.h"
#include "engine/model/tensor_type.h"
#include "kernels/cuda/attention_case_lists.h"
#include "kernels/cuda/attention_fixture.h"
#include "kernels/cuda/rope_append.h"

namespace pitwall::cuda {

namespace {

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

enum class Norms { none, rms_shared, rms_per_head, layer_per_head };

struct RopeShape {
  int heads, kv_heads, head_dim, rotary_dim;
  KvDtype dtype = KvDtype::bfloat16;
  RopeSpec::Pairing pairing = RopeSpec::Pairing::halves;
  Norms norms = Norms::none;
  int block_size = 32;
  int extra_columns = 0;  ///< before q, so that slices begin anywhere
  std::vector<CaseSequence> sequences;
  bool half = false;  ///< q, k and v are float16
  bool is_half_query() const { return dtype != KvDtype::bfloat16; }
};

std::string describe(const RopeShape& shape) {
  int rows = 0;
  for (const CaseSequence& sequence : shape.sequences) rows += sequence.rows;
  std::string text = std::to_string(shape.heads) + "/" + std::to_string(shape.kv_heads) + " heads of " +
                     std::to_string(shape.head_dim) + ", " + std::to_string(rows) + " rows, " +
                     std::string(kv_dtype_name(shape.dtype)) + ", rotary " + std::to_string(shape.rotary_dim);
  if (shape.pairing == RopeSpec::Pairing::neighbours) text += " in neighbours";
  if (shape.norms != Norms::none) text += ", norms " + std::to_string(static_cast<int>(shape.norms));
  return text + ", blocks of " + std::to_string(shape.block_size) + (shape.half ? ", from float16" : "");
}

class RopeCase final : public PreparedCase {
 public:
  RopeCase(const RopeShape& shape, bool timed)
      : shape_(shape), step_(memory_, shape.sequences, shape.block_size) {
    const int columns = shape.extra_columns + (shape.heads + 2 * shape.kv_heads) * shape.head_dim;
    stride_ = (columns + 7) / 8 * 8;
    original_ = to_16(random_numbers(3, size(step_.rows()) * size(stride_)), shape.half);
    pool_bytes_ = size(std::int64_t{2} * shape.kv_heads * shape.block_size * padded_dim(shape.head_dim)) *
                  size(kv_number_bytes(shape.dtype)) * size(step_.blocks);
    const std::size_t set_bytes = pool_bytes_ + original_.size() * 2;
    const std::size_t sets = timed ? std::clamp<std::size_t>(200'000'000 / set_bytes, 1, 16) : 1;
    make_common();
    for (std::size_t set = 0; set < sets; ++set) sets_.push_back(make_set());
  }
  const Result<void>& state() const { return memory_.state(); }

  Result<CaseCheck> check(cudaStream_t stream) override {
    const Output first = run(stream), second = run(stream);
    if (!memory_.state()) return memory_.state().error();
    const bool same = first.rows == second.rows && first.pool == second.pool &&
                      first.token_scales == second.token_scales && first.saturation == second.saturation;
    return CaseCheck{error_of(first), same};
  }

  void launch(int turn, cudaStream_t stream) override {
    rope_append(sets_[size(turn) % sets_.size()], step_.rows(), stream);
  }

 private:
  struct Output {
    std::vector<std::uint16_t> rows;
    std::vector<std::uint8_t> pool;
    std::vector<std::uint32_t> token_scales;  // as bits
    std::vector<unsigned long long> saturation;
  };

  void make_common() {
    int most = 0;
    for (const int position : step_.positions) most = std::max(most, position);
    for (const double theta : {10000.0, 500000.0}) {
      std::vector<float> table;
      for (int position = 0; position <= most; ++position) {
        for (const bool is_sine : {false, true}) {
          for (int i = 0; i < shape_.rotary_dim / 2; ++i) {
            const double angle = position * std::pow(theta, -2.0 * i / shape_.rotary_dim);
            table.push_back(static_cast<float>(is_sine ? std::sin(angle) : std::cos(angle)));
          }
        }
      }
      tables_.push_back(table);
    }
    weights_ = random_numbers(5, size(shape_.heads) * size(shape_.head_dim), 0.3f);
    for (float& weight : weights_) weight += 1;
    if (shape_.rotary_dim > 0) device_tables_ = {memory_.upload(tables_[0]), memory_.upload(tables_[1])};
    device_weights_ = memory_.upload(weights_);
  }

  RopeAppendArgs make_set() {
    RopeAppendArgs args;
    args.step = step_.view;
    KvView& kv = args.kv;
    kv.dtype = shape_.dtype;
    kv.kv_heads = shape_.kv_heads;
    kv.head_dim = shape_.head_dim;
    kv.padded_dim = padded_dim(shape_.head_dim);
    kv.block_size = shape_.block_size;
    kv.numbers = static_cast<std::byte*>(memory_.take(pool_bytes_));
    lines_ = size(std::int64_t{2} * step_.blocks * kv.kv_heads * kv.block_size);
    kv.token_scales = static_cast<float*>(memory_.take(lines_ * sizeof(float)));
    std::vector<float> k_scales, v_scales;
    for (int head = 0; head < kv.kv_heads; ++head) {
      // Keys of head 0 are partly cut: |x| of a unit normal head passes 448·0.005 = 2.24.
      k_scales.push_back(head == 0 ? 0.005f : key_scale(head));
      v_scales.push_back(value_scale(head));
    }
    kv.k_scales = memory_.upload(k_scales);
    kv.v_scales = memory_.upload(v_scales);
    kv.saturation = static_cast<unsigned long long*>(memory_.take(2 * sizeof(unsigned long long)));
    if (shape_.rotary_dim > 0)
      args.rope = {device_tables_[0], device_tables_[1], shape_.rotary_dim, shape_.pairing};
    if (shape_.norms != Norms::none) {
      const bool is_layer = shape_.norms == Norms::layer_per_head;
      args.q_norm = {device_weights_, shape_.norms != Norms::rms_shared,
                     is_layer ? NormSpec::Kind::layer : NormSpec::Kind::rms, 1e-5f};
      args.k_norm = args.q_norm;
    }
    auto* rows = reinterpret_cast<bf16*>(memory_.upload(original_));
    const int d = shape_.head_dim;
    unsigned long long* cut = shape_.half ? memory_.cut() : nullptr;
    args.q = {rows + shape_.extra_columns, stride_, shape_.heads * d, cut};
    args.k = {args.q.data + shape_.heads * d, stride_, shape_.kv_heads * d, cut};
    args.v = {args.k.data + shape_.kv_heads * d, stride_, shape_.kv_heads * d, cut};
    args.heads = shape_.heads;
    return args;
  }

  Output run(cudaStream_t stream) {
    const RopeAppendArgs& args = sets_[0];
    bf16* rows = args.q.data - shape_.extra_columns;
    cudaMemcpy(rows, original_.data(), original_.size() * 2, cudaMemcpyHostToDevice);
    memory_.fill(args.kv.numbers, 0xFF, pool_bytes_);
    memory_.fill(args.kv.token_scales, 0xFF, lines_ * sizeof(float));
    memory_.fill(args.kv.saturation, 0, 2 * sizeof(unsigned long long));
    rope_append(args, step_.rows(), stream);
    return {memory_.download(reinterpret_cast<const std::uint16_t*>(rows), original_.size()),
            memory_.download(reinterpret_cast<const std::uint8_t*>(args.kv.numbers), pool_bytes_),
            memory_.download(reinterpret_cast<const std::uint32_t*>(args.kv.token_scales), lines_),
            memory_.download(args.kv.saturation, 2)};
  }

  static float number(std::uint16_t bits, bool half) {
    return half ? half_to_float(bits) : bfloat_to_float(bits);
  }

  /// A head of q, k (kind 0, 1) or v as the kernel must make it.
  std::vector<double> expected_head(int row, int kind, int head) const {
    const int d = shape_.head_dim;
    const int first = shape_.extra_columns + (kind > 0 ? shape_.heads * d : 0) +
                      (kind > 1 ? shape_.kv_heads * d : 0) + head * d;
    std::vector<double> x;
    for (int i = 0; i < d; ++i)
      x.push_back(number(original_[size(row) * size(stride_) + size(first + i)], shape_.half));
    if (kind == 2) return x;
    if (shape_.norms != Norms::none) {
      double mean = 0, squares = 0;
      if (shape_.norms == Norms::layer_per_head)
        for (const double number : x) mean += number / d;
      for (double& number : x) squares += (number - mean) * (number - mean);
      const int weight_row = shape_.norms == Norms::rms_shared ? 0 : head;
      for (int i = 0; i < d; ++i)
        x[size(i)] = (x[size(i)] - mean) / std::sqrt(squares / d + 1e-5) * weights_[size(weight_row * d + i)];
    }
    const std::vector<float>& table = tables_[size(step_.slots[size(row)] % 2)];
    const int half = shape_.rotary_dim / 2;
    for (int i = 0; i < half; ++i) {
      const std::size_t at = size(step_.positions[size(row)]) * size(shape_.rotary_dim) + size(i);
      const double cosine = table[at], sine = table[at + size(half)];
      const bool halves = shape_.pairing == RopeSpec::Pairing::halves;
      double& a = x[size(halves ? i : 2 * i)];
      double& b = x[size(halves ? i + half : 2 * i + 1)];
      const double old_a = a, old_b = b;
      a = old_a * cosine - old_b * sine;
      b = old_a * sine + old_b * cosine;
    }
    return x;
  }

  float stored_number(const Output& output, std::int64_t line, int i, float scale) const {
    const std::size_t at = size(line) * size(padded_dim(shape_.head_dim)) + size(i);
    switch (shape_.dtype) {
      case KvDtype::fp8_e4m3:
        return static_cast<float>(reference::fp8_e4m3(output.pool[at])) * scale;
      case KvDtype::int8: {
        float token_scale = 0;
        std::memcpy(&token_scale, &output.token_scales[size(line)], sizeof token_scale);
        return static_cast<float>(static_cast<std::int8_t>(output.pool[at])) * token_scale;
      }
      default: {
        const auto code = static_cast<std::uint16_t>(output.pool[2 * at] | output.pool[2 * at + 1] << 8);
        return shape_.dtype == KvDtype::float16 ? half_to_float(code) : bfloat_to_float(code);
      }
    }
  }

  double error_of(const Output& output) const {
    const int d = shape_.head_dim;
    const KvView& kv = sets_[0].kv;
    std::vector<float> q, stored;
    std::vector<double> expected_q, expected_stored;
    std::vector<std::uint16_t> rows = original_;
    std::vector<std::uint8_t> rest = output.pool;  // what is left when the lines written are poisoned again
    const std::size_t line_bytes = size(kv.padded_dim) * size(kv_number_bytes(kv.dtype));
    unsigned long long written = 0, cut = 0;
    for (int row = 0; row < step_.rows(); ++row) {
      const int slot = step_.slots[size(row)];
      if (slot < 0) continue;
      for (int head = 0; head < shape_.heads; ++head) {
        const std::vector<double> x = expected_head(row, 0, head);
        const std::size_t first = size(row) * size(stride_) + size(shape_.extra_columns + head * d);
        for (int i = 0; i < d; ++i) {
          rows[first + size(i)] = output.rows[first + size(i)];
          q.push_back(number(rows[first + size(i)], shape_.is_half_query()));
          expected_q.push_back(x[size(i)]);
        }
      }
      const int position = step_.positions[size(row)];
      const int block = step_.block_of(slot, position, kv.block_size);
      for (int line_kind = 0; line_kind < 2 * shape_.kv_heads; ++line_kind) {
        const bool is_v = line_kind >= shape_.kv_heads;
        const int head = line_kind % shape_.kv_heads;
        const std::vector<double> x = expected_head(row, is_v ? 2 : 1, head);
        const float scale = is_v ? value_scale(head) : head == 0 ? 0.005f : key_scale(head);
        const std::int64_t line = kv_line(kv, block, is_v, head, position);
        const std::vector<float> floats(x.begin(), x.end());
        const reference::Row as_stored = reference::stored_kv(floats, shape_.dtype, scale);
        for (int i = 0; i < kv.padded_dim; ++i) {
          stored.push_back(stored_number(output, line, i, scale));
          expected_stored.push_back(i < d ? as_stored[size(i)] : 0);
          if (i < d && std::fabs(floats[size(i)] / scale) > 448) ++cut;
        }
        written += size(d);
        std::fill_n(rest.begin() + line * static_cast<std::ptrdiff_t>(line_bytes), line_bytes,
                    std::uint8_t{0xFF});
      }
    }
    const bool others_untouched =
        rows == output.rows && std::all_of(rest.begin(), rest.end(), [](int byte) { return byte == 0xFF; });
    const bool counted =
        shape_.dtype != KvDtype::fp8_e4m3 || (output.saturation[0] == written && output.saturation[1] == cut);
    if (!others_untouched || !counted) return std::numeric_limits<double>::quiet_NaN();
    return std::max(relative_l2(q, expected_q), relative_l2(stored, expected_stored));
  }

  RopeShape shape_;
  CaseMemory memory_;
  CaseStep step_;
  int stride_ = 0;
  std::size_t pool_bytes_ = 0, lines_ = 0;
  std::vector<std::uint16_t> original_;
  std::vector<float> weights_;
  std::vector<std::vector<float>> tables_;
  std::vector<float*> device_tables_;
  float* device_weights_ = nullptr;
  std::vector<RopeAppendArgs> sets_;
};

void add(const RopeShape& shape, bool timed, std::vector<KernelCase>& cases) {
  KernelCase added;
  added.name = "rope_append";
  added.shape = describe(shape);
  double rows = 0;
  for (const CaseSequence& sequence : shape.sequences) rows += sequence.rows;
  added.bytes =
      rows * shape.head_dim * (shape.heads * 4.0 + shape.kv_heads * 2.0 * (2 + kv_number_bytes(shape.dtype)));
  added.tolerance = 2e-3;
  added.timed = timed;
  added.prepare = [shape, timed]() -> Result<std::unique_ptr<PreparedCase>> {
    auto prepared = std::make_unique<RopeCase>(shape, timed);
    if (!prepared->state()) return prepared->state().error();
    return std::unique_ptr<PreparedCase>(std::move(prepared));
  };
  cases.push_back(std::move(added));
}

}  // namespace

void add_rope_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  using enum KvDtype;
  constexpr auto kHalves = RopeSpec::Pairing::halves, kNeighbours = RopeSpec::Pairing::neighbours;
  const std::vector<CaseSequence> mixed = {{70, 5}, {33, 1}, {0, 1}, {16, 16}, {1, 1}};
  add({3, 1, 20, 20, bfloat16, kHalves, Norms::rms_shared, 16, 3, mixed}, false, cases);
  add({2, 2, 8, 8, fp8_e4m3, kNeighbours, Norms::none, 32, 0, mixed}, false, cases);
  add({4, 2, 80, 32, int8, kHalves, Norms::layer_per_head, 64, 5, mixed}, false, cases);
  add({3, 1, 20, 20, float16, kHalves, Norms::rms_shared, 16, 3, mixed, true}, false, cases);
  if (scale == CaseScale::small) return;
  for (const KvDtype dtype : {bfloat16, float16, fp8_e4m3, int8}) {
    add({8, 2, 128, 128, dtype, kHalves, Norms::none, 32, 0, mixed}, false, cases);
    add({6, 3, 64, 64, dtype, kNeighbours, Norms::rms_per_head, 16, 1, mixed}, false, cases);
    add({4, 1, 256, 64, dtype, kHalves, Norms::rms_shared, 64, 0, mixed}, false, cases);
    add({5, 5, 96, 0, dtype, kHalves, Norms::layer_per_head, 32, 7, mixed}, false, cases);
    add({3, 1, 17, 10, dtype, kHalves, Norms::rms_shared, 32, 2, mixed}, false, cases);
    add({8, 2, 128, 128, dtype, kHalves, Norms::none, 32, 0, mixed, true}, false, cases);
    add({3, 1, 17, 10, dtype, kHalves, Norms::rms_shared, 32, 2, mixed, true}, false, cases);
  }
  const std::vector<CaseSequence> prompt = {{4096, 4096}};
  for (const KvDtype dtype : {bfloat16, fp8_e4m3}) {
    add({32, 8, 128, 128, dtype, kHalves, Norms::none, 32, 0, {{1000, 1}}}, true, cases);
    add({32, 8, 128, 128, dtype, kHalves, Norms::none, 32, 0, std::vector<CaseSequence>(64, {300, 1})}, true,
        cases);
  }
  add({32, 8, 128, 128, bfloat16, kHalves, Norms::rms_shared, 32, 0, prompt}, true, cases);
}

}  // namespace pitwall::cuda
