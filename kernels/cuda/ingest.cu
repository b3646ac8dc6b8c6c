// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/ingest.h"

#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 32;
constexpr int kPublishThreads = 256;

static_assert(sizeof(StagedJoin) % 8 == 0 && sizeof(SampledRow) == 8 && sizeof(PublishedStep) % 16 == 0);

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

__device__ StagedStepHeader read_header(const std::byte* entry) {
  StagedStepHeader header;
  auto* words = reinterpret_cast<std::int32_t*>(&header);
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(header) / 4); ++i) words[i] = staged(entry, i);
  return header;
}

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

__device__ void write_rows(const std::byte* entry, const StagedStepLayout& layout, int live, int bound,
                           const std::int32_t* last_token, const IngestTargets& to, int first, int step) {
  for (int row = first; row < max(live, bound); row += step) {
    std::int32_t token = -1, position = -1, slot = -1;
    if (row < live) {
      token = staged(entry + layout.tokens, row);
      position = staged(entry + layout.positions, row);
      slot = staged(entry + layout.row_slots, row);
      if (token == kPreviousToken) token = last_token[slot];
    }
    to.tokens[row] = token;
    to.positions[row] = position;
    to.slots[row] = slot;
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
    ingest_kernel(StagedRing ring, IngestTargets to, const std::int32_t* last_token, StepClock* clock,
                  int bound) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const unsigned long long now = global_time();
  const unsigned long long steps = __ldcg(&clock->steps);
  const std::byte* entry =
      ring.first + static_cast<std::int64_t>(steps % static_cast<unsigned>(ring.entries)) * ring.layout.bytes;
  const StagedStepHeader header = read_header(entry);
  const StepCounts& counts = header.counts;
  const StagedStepLayout& layout = ring.layout;
  const int first = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int step = static_cast<int>(gridDim.x * kThreads);
  write_rows(entry, layout, counts.rows, bound, last_token, to, first, step);
  copy_words(entry + layout.decode_rows, to.decode_rows, counts.decode_rows, first, step);
  copy_words(entry + layout.segments, to.segments, counts.segments * (sizeof(Segment) / 4), first, step);
  copy_words(entry + layout.logit_rows, to.logit_rows, counts.logit_rows, first, step);
  copy_words(entry + layout.samples, to.samples, counts.samples * (sizeof(SampleRow) / 4), first, step);
  apply_joins(entry + layout.joins, header.joins, to, first, step);
  apply_appends(entry + layout.appends, header.appends, to, first, step);
  if (first == 0) {
    *to.counts = counts;
    clock->number = header.number;
    clock->started = now;
  }
  count_step(clock);
}

__global__ void __launch_bounds__(kPublishThreads)
    publish_kernel(PublishedRing ring, StepView step, const SampledRow* results, const StepClock* clock) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  std::byte* entry =
      ring.first +
      static_cast<std::int64_t>((clock->steps - 1) % static_cast<unsigned>(ring.entries)) * ring.entry_bytes;
  auto* header = reinterpret_cast<PublishedStep*>(entry);
  auto* rows = reinterpret_cast<unsigned long long*>(entry + sizeof(PublishedStep));
  const int samples = step.counts->samples;
  for (int i = static_cast<int>(threadIdx.x); i < samples; i += kPublishThreads)
    rows[i] = reinterpret_cast<const unsigned long long*>(results)[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  header->started = clock->started;
  header->samples = samples;
  header->finished = global_time();
  __threadfence_system();
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(&header->ready), "l"(clock->number) : "memory");
}

}  // namespace

void ingest(const StagedRing& ring, const IngestTargets& targets, const std::int32_t* last_token,
            StepClock* clock, int rows, cudaStream_t stream) {
  const int blocks = std::clamp((rows + kThreads - 1) / kThreads, 1, kMostBlocks);
  launch(ingest_kernel, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, stream, ring, targets,
         last_token, clock, rows);
}

std::int64_t published_step_bytes(int max_samples) {
  const auto rows = std::int64_t{max_samples} * static_cast<std::int64_t>(sizeof(SampledRow));
  return static_cast<std::int64_t>(sizeof(PublishedStep)) + (rows + 15) / 16 * 16;
}

void publish(const PublishedRing& ring, const StepView& step, const SampledRow* results,
             const StepClock* clock, cudaStream_t stream) {
  launch(publish_kernel, dim3(1), dim3(kPublishThreads), 0, stream, ring, step, results, clock);
}

}  // namespace pitwall::cuda
