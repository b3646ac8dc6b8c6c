// SPDX-License-Identifier: GPL-3.0-or-later
// The two ends of a captured step. Ingest: an entry that the host staged (kernels/cuda/staged_step.h) in a
// ring of pinned, device-mapped memory becomes StepView's arrays. Publish: the sampled tokens go into a ring
// of results that the host polls. Both take the ring's entry from a counter in device memory, so that a graph
// need not be changed from step to step.
//
// The host writes entry n % entries, launches step n (from 0), and may write the entry again once that step
// has been published. Its PublishedStep, at the same index, is ready when `ready` holds the step's number: a
// 64-bit load with acquire order.
#pragma once
#include "kernels/cuda/sampling.h"
#include "kernels/cuda/staged_step.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

/// Device memory, all of it but `block_tables`, `sampling` and `long_rope` rewritten by each step.
struct IngestTargets {
  StepCounts* counts = nullptr;
  std::int32_t *tokens = nullptr, *positions = nullptr, *slots = nullptr;
  std::int32_t* decode_rows = nullptr;
  Segment* segments = nullptr;
  std::int32_t* logit_rows = nullptr;
  SampleRow* samples = nullptr;
  std::int32_t* block_tables = nullptr;  ///< [slots][max_blocks]
  std::int32_t max_blocks = 0;
  std::uint8_t* long_rope = nullptr;  ///< by slot
  SlotSampling* sampling = nullptr;   ///< by slot
};

/// Words in device memory that belong to ingest and publish; zero before the first step.
struct StepClock {
  unsigned long long steps;    ///< ingested so far
  unsigned long long number;   ///< StepPlan::number of the last one
  unsigned long long started;  ///< %globaltimer when it began
  unsigned long long cut;      ///< Rows16::cut of all activations
  unsigned int blocks_done;    ///< zero between steps
};

struct StagedRing {
  const std::byte* first = nullptr;  ///< device address of pinned memory, 16-byte aligned
  int entries = 0;
  StagedStepLayout layout;
};

/// Tokens that are kPreviousToken become last_token[slot]. Rows from the live count up to `rows`, the bound
/// of the kernels that follow, become padding: position, slot and token −1. No more rows than that are live.
void ingest(const StagedRing& ring, const IngestTargets& targets, const std::int32_t* last_token,
            StepClock* clock, int rows, cudaStream_t stream);

/// Followed in memory by its SampledRows.
struct PublishedStep {
  std::uint64_t ready;              ///< the step's number, written last; 0 before the first
  std::uint64_t started, finished;  ///< nanoseconds of %globaltimer
  std::int32_t samples;
  std::uint32_t cut;  ///< numbers held at the ends of float16 until now, or as many as this counts
};
std::int64_t published_step_bytes(int max_samples);  ///< of one entry; a multiple of 16

struct PublishedRing {
  std::byte* first =
      nullptr;      ///< device address of pinned memory, 16-byte aligned, zero before the first step
  int entries = 0;  ///< as many as StagedRing has
  std::int64_t entry_bytes = 0;
};

/// The last kernel of a step.
void publish(const PublishedRing& ring, const StepView& step, const SampledRow* results,
             const StepClock* clock, cudaStream_t stream);

}  // namespace pitwall::cuda
