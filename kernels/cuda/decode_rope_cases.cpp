// SPDX-License-Identifier: GPL-3.0-or-later
// Decode attention that turns q and appends k and v itself, against rope_append and decode attention, which
// have references of their own: the same bits, also in the blocks.
#include <cmath>
#include <limits>

#include "engine/model/tensor_type.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/attention_case_lists.h"
#include "kernels/cuda/attention_fixture.h"
#include "kernels/cuda/rope_append.h"

namespace pitwall::cuda {

namespace {

struct DecodeRopeShape {
  int heads, kv_heads, head_dim;
  KvDtype dtype;
  std::vector<CaseSequence> sequences;
  int block_size = 32;
  int window = 0;
  int multiprocessors = 3;
};

class DecodeRopeCase final : public PreparedCase {
 public:
  explicit DecodeRopeCase(const DecodeRopeShape& shape)
      : shape_(shape), step_(memory_, shape.sequences, shape.block_size) {
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    KvView kv;
    kv.dtype = shape.dtype;
    kv.kv_heads = shape.kv_heads;
    kv.head_dim = kv.padded_dim = shape.head_dim;
    kv.block_size = shape.block_size;
    kv_ = make_pool(memory_, step_, kv, KvPattern(shape.dtype), KvRest::poison);
    kv_.saturation = static_cast<unsigned long long*>(memory_.take(2 * sizeof(unsigned long long)));
    pool_bytes_ = size(kv.block_numbers() * step_.blocks * kv_number_bytes(kv.dtype));
    pool_ = memory_.download(reinterpret_cast<const std::uint8_t*>(kv_.numbers), pool_bytes_);
    stride_ = (shape.heads + 2 * shape.kv_heads) * shape.head_dim;
    // Large: some keys are cut.
    rows_ = to_bf16(random_numbers(3, size(step_.rows()) * size(stride_), 10));
    device_rows_ = reinterpret_cast<bf16*>(memory_.upload(rows_));
    out_numbers_ = size(step_.rows()) * size(shape.heads) * size(shape.head_dim);
    out_ = static_cast<bf16*>(memory_.take(out_numbers_ * sizeof(bf16)));
    int most = 0;
    for (const int position : step_.positions) most = std::max(most, position);
    for (const double theta : {10000.0, 500000.0}) {
      std::vector<float> table;
      for (int position = 0; position <= most; ++position) {
        for (int i = 0; i < shape.head_dim; ++i) {
          const int half = shape.head_dim / 2;
          const double angle = position * std::pow(theta, -2.0 * (i % half) / shape.head_dim);
          table.push_back(static_cast<float>(i < half ? std::cos(angle) : std::sin(angle)));
        }
      }
      tables_.push_back(memory_.upload(table));
    }
    workspace_.memory = memory_.take(decode_workspace_bytes(
        {step_.rows(), shape.heads, shape.kv_heads, shape.head_dim}, shape.multiprocessors));
  }
  const Result<void>& state() const { return memory_.state(); }

  Result<CaseCheck> check(cudaStream_t stream) override {
    const Output apart = run(false, stream), together = run(true, stream), again = run(true, stream);
    if (!memory_.state()) return memory_.state().error();
    const bool is_right = apart == together;
    return CaseCheck{is_right ? 0 : std::numeric_limits<double>::quiet_NaN(), together == again};
  }
  void launch(int, cudaStream_t stream) override { decode(true, stream); }

 private:
  struct Output {
    std::vector<std::uint16_t> out;
    std::vector<std::uint8_t> pool;
    std::vector<unsigned long long> saturation;
    bool operator==(const Output&) const = default;
  };

  Output run(bool together, cudaStream_t stream) {
    cudaMemcpy(device_rows_, rows_.data(), rows_.size() * 2, cudaMemcpyHostToDevice);
    cudaMemcpy(kv_.numbers, pool_.data(), pool_.size(), cudaMemcpyHostToDevice);
    memory_.fill(kv_.saturation, 0, 2 * sizeof(unsigned long long));
    memory_.fill(out_, 0xFF, out_numbers_ * sizeof(bf16));
    if (!together) {
      RopeAppendArgs args;
      args.step = step_.view;
      args.kv = kv_;
      args.rope = {tables_[0], tables_[1], shape_.head_dim, RopeSpec::Pairing::halves};
      args.q = q();
      args.k = slice(shape_.heads);
      args.v = slice(shape_.heads + shape_.kv_heads);
      args.heads = shape_.heads;
      rope_append(args, step_.rows(), stream);
    }
    plan_decode(step_.view, step_.rows(), shape_.kv_heads, shape_.window, shape_.dtype, workspace_,
                shape_.multiprocessors, stream);
    decode(together, stream);
    return {memory_.download(reinterpret_cast<const std::uint16_t*>(out_), out_numbers_),
            memory_.download(reinterpret_cast<const std::uint8_t*>(kv_.numbers), pool_bytes_),
            memory_.download(kv_.saturation, 2)};
  }
  void decode(bool together, cudaStream_t stream) {
    AttentionArgs args;
    args.step = step_.view;
    args.kv = kv_;
    args.q = q();
    args.out = {out_, shape_.heads * shape_.head_dim, shape_.heads * shape_.head_dim};
    args.heads = shape_.heads;
    args.scale = 1 / std::sqrt(static_cast<float>(shape_.head_dim));
    args.window = shape_.window;
    if (together)
      args.rope = {tables_[0], tables_[1], slice(shape_.heads), slice(shape_.heads + shape_.kv_heads)};
    decode_attention(args, step_.rows(), workspace_, shape_.multiprocessors, stream);
  }
  Rows16 q() const { return {device_rows_, stride_, shape_.heads * shape_.head_dim}; }
  Rows16 slice(int head) const {
    return {device_rows_ + head * shape_.head_dim, stride_, shape_.kv_heads * shape_.head_dim};
  }

  DecodeRopeShape shape_;
  CaseMemory memory_;
  CaseStep step_;
  KvView kv_;
  std::size_t pool_bytes_ = 0, out_numbers_ = 0;
  std::vector<std::uint8_t> pool_;
  int stride_ = 0;
  std::vector<std::uint16_t> rows_;
  bf16 *device_rows_ = nullptr, *out_ = nullptr;
  std::vector<float*> tables_;
  DecodeWorkspace workspace_;
};

void add(const DecodeRopeShape& shape, std::vector<KernelCase>& cases) {
  KernelCase added;
  added.name = "decode_attention";
  added.shape = std::to_string(shape.heads) + "/" + std::to_string(shape.kv_heads) + " heads of " +
                std::to_string(shape.head_dim) + ", " + std::string(kv_dtype_name(shape.dtype)) +
                ", blocks of " + std::to_string(shape.block_size) + ", window " +
                std::to_string(shape.window) + ", against rope_append";
  added.tolerance = 0;
  added.timed = false;
  added.prepare = [shape]() -> Result<std::unique_ptr<PreparedCase>> {
    auto prepared = std::make_unique<DecodeRopeCase>(shape);
    if (!prepared->state()) return prepared->state().error();
    return std::unique_ptr<PreparedCase>(std::move(prepared));
  };
  cases.push_back(std::move(added));
}

}  // namespace

void add_decode_rope_cases(CaseScale scale, std::vector<KernelCase>& cases) {
  using enum KvDtype;
  const std::vector<CaseSequence> edges = {{1}, {31}, {0}, {32}, {33}, {127}, {16}, {17}, {65}, {300}};
  add({4, 2, 64, bfloat16, {{1}, {0}, {33}}, 16}, cases);
  add({2, 1, 128, fp8_e4m3, {{1}, {0}, {130}}, 32}, cases);
  if (scale == CaseScale::small) return;
  for (const KvDtype dtype : {bfloat16, float16, fp8_e4m3}) {
    for (const int dim : {64, 128}) {
      add({8, 2, dim, dtype, edges, 16}, cases);
      add({7, 7, dim, dtype, edges, 64, 40}, cases);
      add({8, 1, dim, dtype, {{4097}, {1}, {20000}, {640}}, 32, 0, 20}, cases);
    }
  }
}

}  // namespace pitwall::cuda
