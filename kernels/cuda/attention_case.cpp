// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/attention_case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/model/tensor_type.h"

namespace pitwall::cuda {

namespace {

constexpr double kReferenceBudget = 4e7;  // products of a check

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

int device_multiprocessors() {
  int device = 0, count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

class AttentionCase final : public PreparedCase {
 public:
  AttentionCase(AttentionKind kind, const AttentionShape& shape, bool timed)
      : kind_(kind),
        shape_(shape),
        pattern_(shape.dtype),
        step_(memory_, shape.sequences, shape.block_size),
        multiprocessors_(shape.multiprocessors > 0 ? shape.multiprocessors : device_multiprocessors()) {
    KvView kv;
    kv.dtype = shape.dtype;
    kv.kv_heads = shape.kv_heads;
    kv.head_dim = shape.head_dim;
    kv.padded_dim = padded_dim(shape.head_dim);
    kv.block_size = shape.block_size;
    const double pool_bytes =
        static_cast<double>(kv.block_numbers()) * step_.blocks * kv_number_bytes(kv.dtype);
    const int pools = timed ? std::clamp(static_cast<int>(200e6 / pool_bytes), 1, 16) : 1;
    for (int i = 0; i < pools; ++i)
      pools_.push_back(make_pool(memory_, step_, kv, pattern_, timed ? KvRest::pattern : KvRest::poison));
    q_stride_ = (shape.extra_columns + shape.heads * shape.head_dim + 7) / 8 * 8;
    out_stride_ = (shape.heads * shape.head_dim + 7) / 8 * 8;
    q_ = to_16(random_numbers(13, size(step_.rows()) * size(q_stride_), 1.5f), is_half_query());
    device_q_ = reinterpret_cast<bf16*>(memory_.upload(q_));
    out_numbers_ = size(step_.rows()) * size(out_stride_);
    device_out_ = static_cast<bf16*>(memory_.take(out_numbers_ * sizeof(bf16)));
    if (shape.half) cut_ = memory_.cut();
    if (kind == AttentionKind::decode) {
      // A bound above the live rows, as a captured step has.
      bound_ = static_cast<int>(step_.decode_rows.size()) + CaseStep::kPaddingRows;
      workspace_.memory = memory_.take(
          decode_workspace_bytes({bound_, shape.heads, shape.kv_heads, shape.head_dim}, multiprocessors_));
      plan(nullptr);
    }
  }
  Result<void> state() {
    if (const auto code = cudaDeviceSynchronize(); memory_.state().ok() && code != cudaSuccess)
      return Error{Error::Kind::internal, "Planning decode attention failed", cudaGetErrorString(code), "",
                   "device"};
    return memory_.state();
  }

  Result<CaseCheck> check(cudaStream_t stream) override {
    const std::vector<std::uint16_t> first = run(stream), second = run(stream);
    if (const Result<void> now = state(); !now) return now.error();
    return CaseCheck{error_of(first), first == second};
  }

  void launch(int turn, cudaStream_t stream) override {
    AttentionArgs args;
    args.step = step_.view;
    args.kv = pools_[size(turn) % pools_.size()];
    args.q = {device_q_ + shape_.extra_columns, q_stride_, shape_.heads * shape_.head_dim};
    args.out = {device_out_, out_stride_, shape_.heads * shape_.head_dim, cut_};
    args.heads = shape_.heads;
    args.scale = scale();
    args.softcap = shape_.softcap;
    args.window = shape_.window;
    if (kind_ == AttentionKind::decode) {
      decode_attention(args, bound_, workspace_, multiprocessors_, stream);
    } else {
      prefill_attention(args, step_.segments.data(), static_cast<int>(step_.segments.size()), stream);
    }
  }

 private:
  /// As rope_append() leaves it.
  bool is_half_query() const { return shape_.dtype != KvDtype::bfloat16; }
  float scale() const { return 1 / std::sqrt(static_cast<float>(shape_.head_dim)); }

  void plan(cudaStream_t stream) {
    plan_decode(step_.view, bound_, shape_.kv_heads, shape_.window, workspace_, multiprocessors_, stream);
  }

  std::vector<std::uint16_t> run(cudaStream_t stream) {
    memory_.fill(device_out_, 0xFF, out_numbers_ * sizeof(bf16));
    if (kind_ == AttentionKind::decode) plan(stream);
    launch(0, stream);
    return memory_.download(reinterpret_cast<const std::uint16_t*>(device_out_), out_numbers_);
  }

  std::vector<int> covered_rows() const {
    if (kind_ == AttentionKind::decode) return {step_.decode_rows.begin(), step_.decode_rows.end()};
    std::vector<int> rows;
    for (const Segment& segment : step_.segments) {
      for (int r = 0; r < segment.rows; ++r) rows.push_back(segment.first_row + r);
    }
    return rows;
  }

  int first_visible(int position) const {
    return shape_.window > 0 ? std::max(0, position + 1 - shape_.window) : 0;
  }

  std::vector<double> expected(int row, int head) const {
    const int dim = shape_.head_dim, position = step_.positions[size(row)], slot = step_.slots[size(row)];
    std::vector<double> out(size(dim));
    if (slot < 0) return out;
    const KvView& kv = pools_[0];
    const int kv_head = head / (shape_.heads / shape_.kv_heads), first = first_visible(position);
    const auto stored_scale = [&](std::int64_t line, bool values) -> double {
      if (kv.dtype == KvDtype::int8) return pattern_.token_scale(line);
      if (kv.dtype != KvDtype::fp8_e4m3) return 1;
      return values ? value_scale(kv_head) : key_scale(kv_head);
    };
    const auto line_of = [&](int at, bool values) {
      return kv_line(kv, step_.block_of(slot, at, kv.block_size), values, kv_head, at);
    };
    std::vector<double> query(size(dim)), scores;
    for (int i = 0; i < dim; ++i) {
      const std::size_t column = size(shape_.extra_columns + head * dim + i);
      const std::uint16_t bits = q_[size(row) * size(q_stride_) + column];
      query[size(i)] = is_half_query() ? half_to_float(bits) : bfloat_to_float(bits);
    }
    for (int at = first; at <= position; ++at) {
      const std::int64_t line = line_of(at, false);
      const float* key = pattern_.numbers(line * kv.padded_dim);
      double dot = 0;
      for (int i = 0; i < dim; ++i) dot += query[size(i)] * static_cast<double>(key[i]);
      dot *= stored_scale(line, false) * static_cast<double>(scale());
      const double cap = shape_.softcap;
      scores.push_back(cap > 0 ? cap * std::tanh(dot / cap) : dot);
    }
    const double largest = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - largest);
    for (int at = first; at <= position; ++at) {
      const std::int64_t line = line_of(at, true);
      const float* value = pattern_.numbers(line * kv.padded_dim);
      const double weight = scores[size(at - first)] / total * stored_scale(line, true);
      for (int i = 0; i < dim; ++i) out[size(i)] += weight * static_cast<double>(value[i]);
    }
    return out;
  }

  double error_of(const std::vector<std::uint16_t>& output) const {
    const std::vector<int> rows = covered_rows();
    const int dim = shape_.head_dim;
    double products = 0;
    for (const int row : rows)
      products += 2.0 * shape_.heads * dim *
                  std::max(1, step_.positions[size(row)] + 1 - first_visible(step_.positions[size(row)]));
    // Odd, so that samples do not keep to one head of a group.
    const auto stride = static_cast<std::size_t>(products / kReferenceBudget) | 1;
    std::vector<std::uint16_t> rest = output;  // what is left when the covered rows are poisoned again
    std::vector<float> found;
    std::vector<double> wanted;
    std::size_t pair = 0;
    bool all_finite = true;
    for (const int row : rows) {
      for (int head = 0; head < shape_.heads; ++head, ++pair) {
        const auto begin = rest.begin() + std::int64_t{row} * out_stride_ + std::int64_t{head} * dim;
        const std::vector<float> out = to_float({begin, begin + dim}, shape_.half);
        for (const float number : out) all_finite &= std::isfinite(number);
        std::fill_n(begin, dim, std::uint16_t{0xFFFF});
        if (pair % stride > 0) continue;
        const std::vector<double> expected_out = expected(row, head);
        found.insert(found.end(), out.begin(), out.end());
        wanted.insert(wanted.end(), expected_out.begin(), expected_out.end());
      }
    }
    const bool untouched =
        std::all_of(rest.begin(), rest.end(), [](std::uint16_t number) { return number == 0xFFFF; });
    if (!untouched || !all_finite) return std::numeric_limits<double>::quiet_NaN();
    return relative_l2(found, wanted);
  }

  AttentionKind kind_;
  AttentionShape shape_;
  CaseMemory memory_;
  KvPattern pattern_;
  CaseStep step_;
  int multiprocessors_ = 1;
  int q_stride_ = 0, out_stride_ = 0, bound_ = 0;
  std::size_t out_numbers_ = 0;
  std::vector<KvView> pools_;
  std::vector<std::uint16_t> q_;
  bf16* device_q_ = nullptr;
  bf16* device_out_ = nullptr;
  unsigned long long* cut_ = nullptr;
  DecodeWorkspace workspace_;
};

std::string describe(const AttentionShape& shape) {
  int shortest = std::numeric_limits<int>::max(), longest = 0, rows = 0;
  for (const CaseSequence& sequence : shape.sequences) {
    shortest = std::min(shortest, sequence.length);
    longest = std::max(longest, sequence.length);
    rows += sequence.rows;
  }
  const std::string lengths = shortest == longest ? std::to_string(longest)
                                                  : std::to_string(shortest) + "-" + std::to_string(longest);
  std::string text = std::to_string(shape.heads) + "/" + std::to_string(shape.kv_heads) + " heads of " +
                     std::to_string(shape.head_dim) + ", " + std::to_string(shape.sequences.size()) + " × " +
                     lengths + " tokens, " + std::to_string(rows) + " rows, " +
                     std::string(kv_dtype_name(shape.dtype)) + ", blocks of " +
                     std::to_string(shape.block_size);
  if (shape.window > 0) text += ", window " + std::to_string(shape.window);
  if (shape.softcap > 0) text += ", capped";
  if (shape.half) text += ", into float16";
  if (shape.multiprocessors > 0)
    text += ", split for " + std::to_string(shape.multiprocessors) + " multiprocessors";
  return text;
}

}  // namespace

KernelCase attention_case(AttentionKind kind, const AttentionShape& shape, bool timed) {
  KernelCase made;
  const bool is_decode = kind == AttentionKind::decode;
  made.name = is_decode ? "decode_attention" : "prefill_attention";
  made.shape = describe(shape);
  made.timed = timed;
  const double token_bytes =
      2.0 * shape.kv_heads *
      (shape.head_dim * kv_number_bytes(shape.dtype) + kv_dtype_scale_bytes(shape.dtype));
  for (const CaseSequence& sequence : shape.sequences) {
    if ((sequence.rows == 1) != is_decode) continue;
    const auto seen = [&](int position) {
      return shape.window > 0 ? std::min(position + 1, shape.window) : position + 1;
    };
    const int first_position = sequence.length - sequence.rows;
    const int read = std::min(sequence.length, seen(first_position) + sequence.rows - 1);
    made.bytes += token_bytes * read + 4.0 * shape.heads * shape.head_dim * sequence.rows;
    for (int r = 0; r < sequence.rows; ++r)
      made.flops += 4.0 * shape.heads * shape.head_dim * seen(first_position + r);
  }
  made.prepare = [kind, shape, timed]() -> Result<std::unique_ptr<PreparedCase>> {
    auto prepared = std::make_unique<AttentionCase>(kind, shape, timed);
    if (const Result<void> state = prepared->state(); !state) return state.error();
    return std::unique_ptr<PreparedCase>(std::move(prepared));
  };
  return made;
}

}  // namespace pitwall::cuda
