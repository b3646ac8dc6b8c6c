// SPDX-License-Identifier: GPL-3.0-or-later
// SimExecutor: runs no model; a step takes the time that a StepTimeModel says, on a virtual clock or the real
// one.
#pragma once
#include <deque>
#include <functional>

#include "engine/base/clock.h"
#include "engine/execute/executor.h"

namespace pitwall {

/// Sampled tokens start here, above every vocabulary: no end token and no prompt token is among them.
inline constexpr TokenId kFirstSimulatedToken = TokenId{1} << 30;

/// What the request samples at its last known position: the same for the same numbers, always.
TokenId simulated_token(RequestId request, std::int32_t position);

/// Deterministic: equal plans at equal times give equal results. A step starts when it has been launched and
/// the one before it has ended; collect() moves a virtual clock to its end, and sleeps until then on the real
/// one. Logits are not made up: none are returned, no logprobs, and changes of logits change nothing.
class SimExecutor final : public Executor {
 public:
  /// Nothing is owned.
  SimExecutor(const StepTimeModel& model, VirtualClock& clock);
  SimExecutor(const StepTimeModel& model, const RealClock& clock);
  void launch(StepPlan plan) override;
  StepResult collect() override;

 private:
  const StepTimeModel& model_;
  const Clock& clock_;
  const std::function<void(Nanos at)> wait_until_;
  std::deque<StepResult> in_flight_;
  Nanos last_end_ = 0;
};

}  // namespace pitwall
