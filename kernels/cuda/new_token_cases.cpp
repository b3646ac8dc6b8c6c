// SPDX-License-Identifier: GPL-3.0-or-later
// Decode attention that rotates and appends on its own, against rope_append() and decode attention one after
// the other, which their own cases check.
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/model/tensor_type.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/attention_case_lists.h"
#include "kernels/cuda/attention_fixture.h"

namespace pitwall::cuda {

namespace {

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

struct NewTokenShape {
  int heads = 0, kv_heads = 0, head_dim = 0;
  KvDtype dtype = KvDtype::bfloat16;
  std::vector<CaseSequence> sequences;
  int block_size = 32;
  int multiprocessors = 0;
  bool half = false;  ///< rows are float16
};

class NewTokenCase final : public PreparedCase {
 public:
  explicit NewTokenCase(const NewTokenShape& shape)
      : shape_(shape), pattern_(shape.dtype), step_(memory_, shape.sequences, shape.block_size) {
    const int dim = shape.head_dim;
    stride_ = (shape.heads + 2 * shape.kv_heads) * dim;
    qkv_ = to_16(random_numbers(17, size(step_.rows()) * size(stride_)), shape.half);
    if (shape.half) cut_ = memory_.cut();
    int longest = 1;
    for (const CaseSequence& sequence : shape.sequences) longest = std::max(longest, sequence.length);
    for (const float theta : {10000.0f, 500000.0f}) tables_.push_back(memory_.upload(turns(longest, theta)));
    rows_ = static_cast<int>(step_.decode_rows.size()) + CaseStep::kPaddingRows;
    workspace_.memory = memory_.take(
        decode_workspace_bytes({rows_, shape.heads, shape.kv_heads, dim}, shape.multiprocessors));
    apart_ = make_set();
    joined_ = make_set();
  }
  const Result<void>& state() const { return memory_.state(); }

  Result<CaseCheck> check(cudaStream_t stream) override {
    rope_append(rope_args(apart_), step_.rows(), stream);
    attend(apart_, {}, stream);
    const Found wanted = found(apart_);
    launch(0, stream);
    const Found first = found(joined_);
    upload_rows(joined_);
    launch(0, stream);
    const Found second = found(joined_);
    if (!memory_.state()) return memory_.state().error();
    const bool same = first.out == second.out && first.pool == second.pool;
    return CaseCheck{error_of(first, wanted), same && first.saturation == wanted.saturation};
  }
  void launch(int, cudaStream_t stream) override {
    const RopeAppendArgs rope = rope_args(joined_);
    attend(joined_, {rope.k, rope.v, rope.rope}, stream);
  }

 private:
  struct Set {
    KvView kv;
    bf16 *qkv = nullptr, *out = nullptr;
  };
  struct Found {
    std::vector<std::uint16_t> out;
    std::vector<std::uint8_t> pool;
    std::vector<unsigned long long> saturation;
  };

  std::vector<float> turns(int positions, float theta) const {
    std::vector<float> table;
    const int half = shape_.head_dim / 2;
    for (int position = 0; position < positions; ++position) {
      for (int i = 0; i < 2 * half; ++i) {
        const double angle = position * std::pow(theta, -2.0 * (i % half) / shape_.head_dim);
        table.push_back(static_cast<float>(i < half ? std::cos(angle) : std::sin(angle)));
      }
    }
    return table;
  }
  Set make_set() {
    KvView kv;
    kv.dtype = shape_.dtype;
    kv.kv_heads = shape_.kv_heads;
    kv.head_dim = shape_.head_dim;
    kv.padded_dim = padded_dim(shape_.head_dim);
    kv.block_size = shape_.block_size;
    Set set;
    set.kv = make_pool(memory_, step_, kv, pattern_, KvRest::poison);
    set.kv.saturation = static_cast<unsigned long long*>(memory_.take(2 * sizeof(unsigned long long)));
    set.qkv = static_cast<bf16*>(memory_.take(qkv_.size() * sizeof(bf16)));
    set.out = static_cast<bf16*>(memory_.take(out_numbers() * sizeof(bf16)));
    upload_rows(set);
    return set;
  }
  void upload_rows(const Set& set) {
    cudaMemcpy(set.qkv, qkv_.data(), qkv_.size() * sizeof(bf16), cudaMemcpyHostToDevice);
    cudaMemset(set.kv.saturation, 0, 2 * sizeof(unsigned long long));
  }
  std::size_t out_numbers() const { return size(step_.rows()) * size(shape_.heads * shape_.head_dim); }

  RopeAppendArgs rope_args(const Set& set) const {
    const int dim = shape_.head_dim;
    RopeAppendArgs args;
    args.step = step_.view;
    args.kv = set.kv;
    args.rope = {tables_[0], tables_[1], dim, RopeSpec::Pairing::halves};
    args.q = {set.qkv, stride_, shape_.heads * dim, cut_};
    args.k = {args.q.data + shape_.heads * dim, stride_, shape_.kv_heads * dim, cut_};
    args.v = {args.k.data + shape_.kv_heads * dim, stride_, shape_.kv_heads * dim, cut_};
    args.heads = shape_.heads;
    return args;
  }
  void attend(const Set& set, const NewTokens& fresh, cudaStream_t stream) {
    memory_.fill(set.out, 0xFF, out_numbers() * sizeof(bf16));
    AttentionArgs args;
    args.step = step_.view;
    args.kv = set.kv;
    args.q = rope_args(set).q;
    args.out = {set.out, shape_.heads * shape_.head_dim, shape_.heads * shape_.head_dim, cut_};
    args.heads = shape_.heads;
    args.scale = 1 / std::sqrt(static_cast<float>(shape_.head_dim));
    args.fresh = fresh;
    plan_decode(step_.view, rows_, shape_.kv_heads, 0, workspace_, shape_.multiprocessors, stream);
    decode_attention(args, rows_, workspace_, shape_.multiprocessors, stream);
  }
  Found found(const Set& set) {
    const std::size_t numbers = size(set.kv.block_numbers() * step_.blocks);
    Found one;
    one.out = memory_.download(reinterpret_cast<const std::uint16_t*>(set.out), out_numbers());
    one.pool = memory_.download(reinterpret_cast<const std::uint8_t*>(set.kv.numbers),
                                numbers * size(kv_number_bytes(shape_.dtype)));
    one.saturation = memory_.download(set.kv.saturation, 2);
    return one;
  }

  /// Of the rows; NaN where the pools differ in more than the last bits of a few numbers.
  double error_of(const Found& joined, const Found& wanted) const {
    std::size_t others = 0;
    for (std::size_t i = 0; i < joined.pool.size(); ++i) others += joined.pool[i] != wanted.pool[i];
    const auto written = step_.decode_rows.size() * size(2 * shape_.kv_heads * shape_.head_dim);
    if (others * 100 > written) return std::numeric_limits<double>::quiet_NaN();
    std::vector<std::uint16_t> live, reference;
    const auto row_numbers = size(shape_.heads * shape_.head_dim);
    for (const std::int32_t row : step_.decode_rows) {
      const auto first = static_cast<std::ptrdiff_t>(size(row) * row_numbers);
      const auto end = first + static_cast<std::ptrdiff_t>(row_numbers);
      live.insert(live.end(), joined.out.begin() + first, joined.out.begin() + end);
      reference.insert(reference.end(), wanted.out.begin() + first, wanted.out.begin() + end);
    }
    const std::vector<float> numbers = to_float(reference, shape_.half);
    return relative_l2(to_float(live, shape_.half), {numbers.begin(), numbers.end()});
  }

  NewTokenShape shape_;
  CaseMemory memory_;
  KvPattern pattern_;
  CaseStep step_;
  int stride_ = 0, rows_ = 0;
  std::vector<std::uint16_t> qkv_;
  unsigned long long* cut_ = nullptr;
  std::vector<float*> tables_;
  DecodeWorkspace workspace_;
  Set apart_, joined_;
};

void add(const NewTokenShape& shape, std::vector<KernelCase>& cases) {
  KernelCase added;
  added.name = "decode_attention";
  added.shape = std::to_string(shape.heads) + "/" + std::to_string(shape.kv_heads) + " heads of " +
                std::to_string(shape.head_dim) + ", " + std::to_string(shape.sequences.size()) +
                " new tokens, " + std::string(kv_dtype_name(shape.dtype)) + ", blocks of " +
                std::to_string(shape.block_size) + ", split for " + std::to_string(shape.multiprocessors) +
                " multiprocessors" + (shape.half ? ", float16" : "");
  added.timed = false;
  added.prepare = [shape]() -> Result<std::unique_ptr<PreparedCase>> {
    auto prepared = std::make_unique<NewTokenCase>(shape);
    if (!prepared->state()) return prepared->state().error();
    return std::unique_ptr<PreparedCase>(std::move(prepared));
  };
  cases.push_back(std::move(added));
}

}  // namespace

void add_new_token_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  using enum KvDtype;
  const std::vector<CaseSequence> few = {{1}, {0}, {33}, {130}};
  for (const KvDtype dtype : {bfloat16, float16, fp8_e4m3, int8}) {
    add({4, 2, 64, dtype, few, 16, 2}, cases);
    add({4, 2, 64, dtype, few, 16, 2, true}, cases);
    if (scale == CaseScale::small) continue;
    add({8, 2, 128, dtype, {{1}, {31}, {0}, {32}, {33}, {127}, {16}, {65}, {300}}, 32, 3}, cases);
    add({32, 2, 128, dtype, {{4097}, {1}, {640}}, 64, 20}, cases);  // two MMAs of heads, merged parts
    add({20, 1, 64, dtype, std::vector<CaseSequence>(9, {200}), 16, 2}, cases);  // dealt
  }
}

}  // namespace pitwall::cuda
