// SPDX-License-Identifier: GPL-3.0-or-later
// StepLink: the way of steps to the device and of their tokens back. A plan is checked and noted in
// StepState, written into a ring of pinned memory, taken over by the ingest kernel, and published into
// another ring, which wait() polls. Where a step changes logits, its tokens are chosen once more behind the
// forward, captured or not; logprobs come after that.
#pragma once
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/execute/step_state.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/gpu_clock.h"
#include "kernels/cuda/ingest.h"
#include "kernels/cuda/sampling_changes.h"

namespace pitwall::cuda {

/// wait() may be called from another thread than the rest.
class StepLink {
 public:
  Result<void> prepare(DeviceMemory& memory, const StepLimits& limits, cudaStream_t stream);
  /// Those that the forward does not launch.
  Result<void> load_kernels();

  StepState& state() { return state_; }
  const StepState& state() const { return state_; }
  const StepView& view() const { return view_; }
  /// Rows16::cut of float16 activations: wait() warns when it counts. After prepare().
  unsigned long long* cut() const { return &clock_->cut; }
  /// What StepResult::arithmetic says of numbers that are none.
  void name_arithmetic(std::string name) { arithmetic_ = std::move(name); }

  /// Checks the plan and writes it into the ring. A plan that breaks the bounds leaves no rows.
  Result<void> stage(const StepPlan& plan);

  /// One row of StepState that is a prompt's: steps with such rows are not captured.
  bool has_segments() const;
  /// The staged segments of two rows and more, in host memory.
  const std::vector<Segment>& segments() const { return host_segments_; }

  /// The first kernel of a step, for `rows` rows of RowSet::tokens.
  void ingest(int rows);
  /// Chooses tokens from the rows of `logits` that yield one; `rows` as in ingest(), of RowSet::logits.
  void sample(Rows32 logits, int rows);

  /// What the step asks of `logits` beyond tokens, and its last kernel. `error`: the step never ran.
  void publish(std::uint64_t step, std::optional<Error> error, bool replayed, Rows32 logits);
  StepResult wait(std::uint64_t step);

 private:
  struct Sample {
    RequestId request;
    SlotId slot;
    std::int32_t report;  ///< index of its ReportedRow, or −1
    bool asks;            ///< for logprobs
  };
  /// What wait() turns a step's published rows into.
  struct Submitted {
    std::uint64_t step = 0;  ///< 0 = free
    std::optional<Error> error;
    std::vector<Sample> samples;
    std::vector<StepState::AskedLogits> asked;
    std::vector<StepState::PromptReport> prompt_reports;
    int entry = 0;  ///< of the rings
    bool replayed = false;
  };
  static constexpr int kEntries = 4;  ///< two steps are in flight at most

  Result<void> prepare_changes(DeviceMemory& memory);
  Result<void> stage_changes();
  void finish_sampling(Rows32 logits);
  std::optional<Error> copy_asked(Rows32 logits, int entry);
  void take_reports(const Submitted& submitted, StepResult& result) const;
  Submitted take_submitted(std::uint64_t step);
  std::optional<Error> wait_for_device(const Submitted& submitted) const;

  cudaStream_t stream_ = nullptr;
  StepLimits limits_;
  StepState state_;
  StepView view_{};
  IngestTargets targets_{};
  StepClock* clock_ = nullptr;
  std::string arithmetic_ = "bfloat16";
  std::int32_t* last_token_ = nullptr;
  SampledRow* sampled_ = nullptr;
  void* sampling_memory_ = nullptr;
  std::optional<StagedStepWriter> writer_;
  PinnedMemory staged_memory_, published_memory_, asked_memory_;
  StagedRing staged_{};
  PublishedRing published_{};
  Bytes asked_bytes_ = 0;  ///< of an entry of asked_memory_
  std::vector<Segment> host_segments_;
  StagedChanges changes_;  ///< of the staged step
  PinnedMemory changes_memory_[kEntries], reported_memory_;
  Bytes reported_bytes_ = 0;  ///< of an entry of reported_memory_
  Rows32 changed_{};          ///< a row for each sample
  SampleRow* changed_samples_ = nullptr;
  std::uint64_t staged_steps_ = 0;  ///< that ingest() has been launched for

  std::mutex mutex_;  ///< of what follows
  Submitted submitted_[kEntries];
  std::condition_variable submitted_changed_;
  GpuClock gpu_clock_;
  bool has_warned_ = false;  ///< of activations beyond float16
};

}  // namespace pitwall::cuda
