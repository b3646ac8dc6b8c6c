// SPDX-License-Identifier: GPL-3.0-or-later
// StepHistory: the steps that the window has seen of one engine, many more than its recorder keeps.
#pragma once
#include <vector>

#include "engine/telemetry/recorder.h"
#include "ui/widgets/step_chart.h"

namespace pitwall::ui {

inline constexpr std::size_t kAllSteps = std::size_t{1} << 14;  ///< more than a recorder keeps

class StepHistory {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 18;  ///< an hour of 70 steps/s, 15 MB

  /// Adds what is new. Another start of the engine begins a new history.
  void take(const Snapshot& snapshot, const Recorder& recorder);
  const std::vector<StepSpan>& steps() const { return steps_; }

 private:
  std::vector<StepSpan> steps_;
  Nanos started_ = 0;
};

/// Who joined, resumed, left, was preempted or swapped out, in words; empty once the recorder no longer knows
/// the step.
QString step_text(std::uint64_t step, const Recorder& recorder);

}  // namespace pitwall::ui
