// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/ingest.h"

#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kThreads = 256;  ///< a row each
constexpr int kPublishThreads = 256;
constexpr int kHeaderWords = sizeof(StagedStepHeader) / 4;
constexpr int kSampleWords = sizeof(SampleRow) / 4;

static_assert(sizeof(StagedJoin) % 8 == 0 && sizeof(SampledRow) == 8 && sizeof(PublishedStep) % 16 == 0);

/// Words that are read along with the header, before the counts are known: a round trip over the bus takes
/// longer than all else.
struct Ahead {
  int rows = 0, logit_rows = 0, sample_words = 0;
};

__device__ unsigned long long global_time() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

/// The host writes these between launches: never from a cache.
__device__ std::int32_t staged(const std::byte* array, std::int64_t index) {
  return __ldcv(reinterpret_cast<const int*>(array) + index);
}

__device__ void copy_words(const std::byte* from, void* to, int words, int first, int step) {
  auto* out = static_cast<std::int32_t*>(to);
  for (int i = first; i < words; i += step) out[i] = staged(from, i);
}

/// What a thread has read before it knew the counts.
class RowWords {
 public:
  __device__ RowWords(const std::byte* entry, const StagedStepLayout& layout, const Ahead& ahead)
      : row_(static_cast<int>(blockIdx.x * kThreads + threadIdx.x)) {
    if (row_ < ahead.rows) {
      token_ = staged(entry + layout.tokens, row_);
      position_ = staged(entry + layout.positions, row_);
      slot_ = staged(entry + layout.row_slots, row_);
      decode_row_ = staged(entry + layout.decode_rows, row_);
    }
    if (row_ < ahead.logit_rows) logit_row_ = staged(entry + layout.logit_rows, row_);
#pragma unroll
    for (int i = 0; i < kSampleWords; ++i) {
      const int word = sample_word(i);
      if (word < ahead.sample_words) sample_[i] = staged(entry + layout.samples, word);
    }
  }

  __device__ void write(const StepCounts& counts, int bound, const std::int32_t* last_token,
                        const IngestTargets& to) const {
    if (row_ < bound) {
      const bool lives = row_ < counts.rows;
      std::int32_t token = lives ? token_ : -1;
      if (lives && token == kPreviousToken) token = last_token[slot_];
      to.tokens[row_] = token;
      to.positions[row_] = lives ? position_ : -1;
      to.slots[row_] = lives ? slot_ : -1;
    }
    if (row_ < counts.decode_rows) to.decode_rows[row_] = decode_row_;
    if (row_ < counts.logit_rows) to.logit_rows[row_] = logit_row_;
#pragma unroll
    for (int i = 0; i < kSampleWords; ++i) {
      const int word = sample_word(i);
      if (word < counts.samples * kSampleWords)
        reinterpret_cast<std::int32_t*>(to.samples)[word] = sample_[i];
    }
  }

 private:
  __device__ static int sample_word(int i) {
    return static_cast<int>((blockIdx.x * kSampleWords + static_cast<unsigned>(i)) * kThreads + threadIdx.x);
  }

  int row_;
  std::int32_t token_ = -1, position_ = -1, slot_ = -1, decode_row_ = 0, logit_row_ = 0;
  std::int32_t sample_[kSampleWords] = {};
};

__device__ void apply_joins(const std::byte* joins, int count, const IngestTargets& to, int first, int step) {
  constexpr int kWords = sizeof(StagedJoin) / 4;
  for (int i = first; i < count; i += step) {
    StagedJoin join;
    auto* words = reinterpret_cast<std::int32_t*>(&join);
#pragma unroll
    for (int word = 0; word < kWords; ++word) words[word] = staged(joins, std::int64_t{i} * kWords + word);
    to.sampling[join.slot] = join.sampling;
    to.long_rope[join.slot] = static_cast<std::uint8_t>(join.long_rope);
  }
}

__device__ void apply_appends(const std::byte* appends, int count, const IngestTargets& to, int first,
                              int step) {
  for (int i = first; i < count; i += step) {
    const std::int64_t word = std::int64_t{i} * 3;
    const std::int32_t slot = staged(appends, word), index = staged(appends, word + 1);
    to.block_tables[std::int64_t{slot} * to.max_blocks + index] = staged(appends, word + 2);
  }
}

/// The last block to come here counts the step: every other one has read the counter by then.
__device__ void count_step(StepClock* clock) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&clock->blocks_done, 1) + 1 == gridDim.x) {
    clock->blocks_done = 0;
    clock->steps += 1;
  }
}

__global__ void __launch_bounds__(kThreads)
    ingest_kernel(const __grid_constant__ StagedRing ring, const __grid_constant__ IngestTargets to,
                  const std::int32_t* last_token, StepClock* clock, int bound, Ahead ahead) {
  __shared__ __align__(8) std::int32_t header_words[kHeaderWords];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const unsigned long long now = global_time();
  const unsigned long long steps = __ldcg(&clock->steps);
  const std::byte* entry =
      ring.first + static_cast<std::int64_t>(steps % static_cast<unsigned>(ring.entries)) * ring.layout.bytes;
  const StagedStepLayout& layout = ring.layout;
  const int thread = static_cast<int>(threadIdx.x);
  std::int32_t header_word = 0;
  if (thread < kHeaderWords) header_word = staged(entry, thread);
  const RowWords words(entry, layout, ahead);
  if (thread < kHeaderWords) header_words[thread] = header_word;
  __syncthreads();
  const auto& header = *reinterpret_cast<const StagedStepHeader*>(header_words);
  words.write(header.counts, bound, last_token, to);

  // Different warps begin with different arrays, so that their round trips overlap.
  const int first = static_cast<int>(blockIdx.x) * kThreads + thread;
  const int step = static_cast<int>(gridDim.x) * kThreads;
  copy_words(entry + layout.segments, to.segments, header.counts.segments * (sizeof(Segment) / 4), first,
             step);
  apply_joins(entry + layout.joins, header.joins, to, first ^ (kThreads / 4), step);
  apply_appends(entry + layout.appends, header.appends, to, first ^ (kThreads / 2), step);
  if (first == 0) {
    *to.counts = header.counts;
    clock->number = header.number;
    clock->started = now;
  }
  count_step(clock);
}

__global__ void __launch_bounds__(kPublishThreads)
    publish_kernel(PublishedRing ring, const StepCounts* counts, const SampledRow* results,
                   const StepClock* clock) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const unsigned long long steps = __ldcg(&clock->steps), number = __ldcg(&clock->number);
  const unsigned long long started = __ldcg(&clock->started);
  const unsigned long long cut = __ldcg(&clock->cut);
  const int samples = __ldcg(&counts->samples);
  std::byte* entry =
      ring.first +
      static_cast<std::int64_t>((steps - 1) % static_cast<unsigned>(ring.entries)) * ring.entry_bytes;
  auto* header = reinterpret_cast<PublishedStep*>(entry);
  auto* rows = reinterpret_cast<unsigned long long*>(entry + sizeof(PublishedStep));
  for (int i = static_cast<int>(threadIdx.x); i < samples; i += kPublishThreads)
    rows[i] = __ldcg(reinterpret_cast<const unsigned long long*>(results) + i);
  __syncthreads();
  if (threadIdx.x != 0) return;
  header->started = started;
  header->samples = samples;
  header->cut = static_cast<std::uint32_t>(min(cut, 0xFFFFFFFFull));
  header->finished = global_time();
  // All that the block has written comes before what is released.
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(&header->ready), "l"(number) : "memory");
}

}  // namespace

void ingest(const StagedRing& ring, const IngestTargets& targets, const std::int32_t* last_token,
            StepClock* clock, int rows, cudaStream_t stream) {
  const StagedStepLayout& layout = ring.layout;
  const auto words = [](std::int64_t begin, std::int64_t end) { return static_cast<int>((end - begin) / 4); };
  const Ahead ahead{std::min(rows, words(layout.tokens, layout.positions)),
                    std::min(rows, words(layout.logit_rows, layout.samples)),
                    std::min(rows * kSampleWords, words(layout.samples, layout.joins))};
  launch(ingest_kernel, dim3(static_cast<unsigned>((rows + kThreads - 1) / kThreads)), dim3(kThreads), 0,
         stream, ring, targets, last_token, clock, rows, ahead);
}

std::int64_t published_step_bytes(int max_samples) {
  const auto rows = std::int64_t{max_samples} * static_cast<std::int64_t>(sizeof(SampledRow));
  return static_cast<std::int64_t>(sizeof(PublishedStep)) + (rows + 15) / 16 * 16;
}

void publish(const PublishedRing& ring, const StepView& step, const SampledRow* results,
             const StepClock* clock, cudaStream_t stream) {
  launch(publish_kernel, dim3(1), dim3(kPublishThreads), 0, stream, ring, step.counts, results, clock);
}

}  // namespace pitwall::cuda
