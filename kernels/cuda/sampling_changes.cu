// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/sampling_changes.h"

#include <cmath>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/token_order.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kCopyThreads = 256;
constexpr int kTile = 4096, kTileWords = kTile / 32;  ///< of the vocabulary, for a block
constexpr int kTokenThreads = 256,
              kTokenBlocks = 4;  ///< a sample's changed tokens are shared by so many blocks
constexpr int kReportThreads = 1024, kReportWarps = kReportThreads / 32;
constexpr unsigned kAll = 0xFFFFFFFFu;

static_assert(kTileWords <= kCopyThreads && kReportWarps == 32);
static_assert(sizeof(ChangedSample) == 16 && sizeof(ReportRow) == 16 && sizeof(ReportedRow) % 16 == 0);

/// The host writes these between launches: never from a cache.
__device__ std::int32_t staged(const std::int32_t* word) {
  return __ldcv(word);
}
__device__ ChangedSample staged_sample(const ChangedSample* place) {
  const int4 words = __ldcv(reinterpret_cast<const int4*>(place));
  return {words.x, words.y, __int_as_float(words.z), words.w};
}
__device__ ReportRow staged_report(const ReportRow* place) {
  const int4 words = __ldcv(reinterpret_cast<const int4*>(place));
  return {words.x, words.y, words.z, words.w};
}

/// A block for each sample and tile.
__global__ void __launch_bounds__(kCopyThreads) copy_kernel(StepView step, Rows32 logits, ChangesView changes,
                                                            Rows32 changed, SampleRow* changed_samples) {
  __shared__ std::uint32_t allowed[kTileWords];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int index = static_cast<int>(blockIdx.x), first = static_cast<int>(blockIdx.y) * kTile;
  const int thread = static_cast<int>(threadIdx.x), vocabulary = logits.columns;
  const SampleRow sample = step.samples[index];
  if (thread < kTileWords) {
    const int first_word = staged(&changes.samples[index].first_word);
    const int word = first / 32 + thread;
    allowed[thread] = first_word >= 0 && word * 32 < vocabulary
                          ? __ldcv(changes.masks + static_cast<std::int64_t>(first_word) + word)
                          : kAll;
  }
  if (first == 0 && thread == 0) changed_samples[index] = {index, sample.slot, sample.position};
  __syncthreads();
  const float* from = logits.data + std::int64_t{sample.logit_row} * logits.stride;
  float* to = changed.data + std::int64_t{index} * changed.stride;
#pragma unroll
  for (int turn = 0; turn < kTile / kCopyThreads; ++turn) {
    const int i = turn * kCopyThreads + thread, token = first + i;
    if (token < vocabulary) to[token] = (allowed[i / 32] >> (i % 32) & 1) != 0 ? from[token] : -INFINITY;
  }
}

/// After the masks: what they forbid stays −∞ whatever is added.
__global__ void __launch_bounds__(kTokenThreads) token_kernel(ChangesView changes, Rows32 changed) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int index = static_cast<int>(blockIdx.x);
  const ChangedSample sample = staged_sample(changes.samples + index);
  float* row = changed.data + std::int64_t{index} * changed.stride;
  const int step = kTokenBlocks * kTokenThreads;
  for (int i = static_cast<int>(blockIdx.y * kTokenThreads + threadIdx.x); i < sample.tokens; i += step) {
    const auto* words = reinterpret_cast<const std::int32_t*>(
        changes.tokens + static_cast<std::int64_t>(sample.first_token) + i);
    const std::int32_t token = staged(words);
    const float add = __int_as_float(staged(words + 1));
    float logit = row[token];
    if (staged(words + 2) != 0) logit = logit > 0 ? logit / sample.repetition : logit * sample.repetition;
    row[token] = logit + add;
  }
}

using Order = unsigned long long;

/// The block's threads call these together. Sums are in a fixed order.
class BlockReduction {
 public:
  __device__ Order largest(Order value) {
    const Order mine = warp_largest(value);
    __syncthreads();
    if (lane() == 0) orders_[warp()] = mine;
    __syncthreads();
    return warp_largest(orders_[lane()]);
  }
  __device__ float sum(float value) {
    const float mine = warp_sum(value);
    __syncthreads();
    if (lane() == 0) sums_[warp()] = mine;
    __syncthreads();
    return warp_sum(sums_[lane()]);
  }
  __device__ std::uint32_t count(std::uint32_t value) {
    const std::uint32_t mine = __reduce_add_sync(kAll, value);
    __syncthreads();
    if (lane() == 0) counts_[warp()] = mine;
    __syncthreads();
    return __reduce_add_sync(kAll, counts_[lane()]);
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  Order orders_[kReportWarps];
  float sums_[kReportWarps];
  std::uint32_t counts_[kReportWarps];
};

/// A row whose token t belongs to thread t % kReportThreads.
struct ReportedLogits {
  const float* logits;
  int vocabulary;

  /// body(logit, token) for the tokens of this thread.
  template <class Body>
  __device__ void over(const Body& body) const {
#pragma unroll 8
    for (int token = static_cast<int>(threadIdx.x); token < vocabulary; token += kReportThreads)
      body(__ldcg(logits + token), token);
  }
  /// The best token of one thread below `bound`, looked for by all.
  __device__ Order best_below(Order bound, int thread) const {
    Order best = 0;
    for (int token = thread + static_cast<int>(threadIdx.x) * kReportThreads; token < vocabulary;
         token += kReportThreads * kReportThreads) {
      const Order order = order_of(__ldcg(logits + token), token);
      if (order < bound && order > best) best = order;
    }
    return best;
  }
};

/// A block for each report. The likeliest tokens are drawn one after another: each thread holds the best of
/// its tokens that has not come yet.
__global__ void __launch_bounds__(kReportThreads)
    report_kernel(Rows32 logits, const ReportRow* reports, const SampledRow* results, ReportedRow* reported) {
  __shared__ BlockReduction block;
  __shared__ ReportedRow answer;
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int thread = static_cast<int>(threadIdx.x);
  const ReportRow wanted = staged_report(reports + blockIdx.x);
  const ReportedLogits row{logits.data + std::int64_t{wanted.logit_row} * logits.stride, logits.columns};
  const int token = wanted.sample < 0 ? wanted.token : __ldcg(&results[wanted.sample].token);
  const float own_logit = __ldcg(row.logits + token);
  const Order own = order_of(own_logit, token);

  Order best = 0;
  std::uint32_t before = 0;
  bool is_bad = false;
  row.over([&](float logit, int other) {
    const Order order = order_of(logit, other);
    is_bad = is_bad || !(logit < INFINITY);
    best = order > best ? order : best;
    before += order > own ? 1u : 0u;
  });
  constexpr Order kBad = ~Order{0};
  const Order top = block.largest(is_bad ? kBad : best);
  const bool is_finite = top != kBad && logit_of(top) > -INFINITY;
  const float largest = is_finite ? logit_of(top) : 0.0f;
  before = block.count(before);
  float part = 0;
  row.over([&](float logit, int) { part += expf(logit - largest); });
  const float log_sum = logf(block.sum(part));
  const auto logprob = [&](float logit) {
    return is_finite ? logit - largest - log_sum : __int_as_float(0x7FC00000);
  };

  int count = 0;
  for (; is_finite && count < wanted.top; ++count) {
    const Order next = block.largest(best);
    if (next == 0) break;
    const int owner = token_of(next) % kReportThreads;
    if (thread == 0) answer.likeliest[count] = {token_of(next), logprob(logit_of(next))};
    const Order following = block.largest(row.best_below(next, owner));
    if (thread == owner) best = following;
  }
  if (thread == 0) {
    answer.token = token;
    answer.logprob = logprob(own_logit);
    answer.rank = static_cast<std::int32_t>(before) + 1;
    answer.top = count;
  }
  __syncthreads();
  const int words = 4 + 2 * count;
  if (thread < words) {
    reinterpret_cast<std::int32_t*>(reported + blockIdx.x)[thread] =
        reinterpret_cast<const std::int32_t*>(&answer)[thread];
    __threadfence_system();
  }
}

}  // namespace

ChangesView changes_view(const StagedChanges& staged, const std::byte* buffer) {
  return {reinterpret_cast<const ChangedSample*>(buffer + staged.samples_at),
          reinterpret_cast<const ChangedToken*>(buffer + staged.tokens_at),
          reinterpret_cast<const std::uint32_t*>(buffer + staged.masks_at)};
}

void change_rows(const StepView& step, Rows32 logits, const ChangesView& changes, int samples, Rows32 changed,
                 SampleRow* changed_samples, cudaStream_t stream) {
  const auto rows = static_cast<unsigned>(samples);
  const auto tiles = static_cast<unsigned>((logits.columns + kTile - 1) / kTile);
  launch(copy_kernel, dim3(rows, tiles), dim3(kCopyThreads), 0, stream, step, logits, changes, changed,
         changed_samples);
  launch(token_kernel, dim3(rows, kTokenBlocks), dim3(kTokenThreads), 0, stream, changes, changed);
}

void report_rows(Rows32 logits, const ReportRow* reports, int count, const SampledRow* results,
                 ReportedRow* reported, cudaStream_t stream) {
  launch(report_kernel, dim3(static_cast<unsigned>(count)), dim3(kReportThreads), 0, stream, logits, reports,
         results, reported);
}

cudaError_t load_change_kernels() {
  cudaFuncAttributes attributes{};
  for (const auto kernel :
       {reinterpret_cast<const void*>(copy_kernel), reinterpret_cast<const void*>(token_kernel),
        reinterpret_cast<const void*>(report_kernel)}) {
    if (const auto code = cudaFuncGetAttributes(&attributes, kernel); code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

}  // namespace pitwall::cuda
