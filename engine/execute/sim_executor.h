// SPDX-License-Identifier: GPL-3.0-or-later
// SimExecutor: runs no model; a step takes the time that a StepTimeModel says, on a virtual clock.
#pragma once
#include <deque>

#include "engine/base/clock.h"
#include "engine/execute/executor.h"

namespace pitwall {

/// Sampled tokens start here, above every vocabulary: no end token and no prompt token is among them.
inline constexpr TokenId kFirstSimulatedToken = TokenId{1} << 30;

/// What the request samples at its last known position: the same for the same numbers, always.
TokenId simulated_token(RequestId request, std::int32_t position);

/// Deterministic: equal plans at equal times give equal results. A step starts when it has been launched and
/// the one before it has ended; collect() moves the clock to its end. Logits are not made up: none are
/// returned, no logprobs, and changes of logits change nothing.
class SimExecutor final : public Executor {
 public:
  /// Neither is owned.
  SimExecutor(const StepTimeModel& model, VirtualClock& clock) : model_(model), clock_(clock) {}
  void launch(StepPlan plan) override;
  StepResult collect() override;

 private:
  const StepTimeModel& model_;
  VirtualClock& clock_;
  std::deque<StepResult> in_flight_;
  Nanos last_end_ = 0;
};

}  // namespace pitwall
