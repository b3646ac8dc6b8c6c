// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/sim_executor.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <thread>

namespace pitwall {

TokenId simulated_token(RequestId request, std::int32_t position) {
  // The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t bits = (request.value << 32) + static_cast<std::uint32_t>(position);
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  return kFirstSimulatedToken + static_cast<TokenId>(bits % kFirstSimulatedToken);
}

SimExecutor::SimExecutor(const StepTimeModel& model, VirtualClock& clock)
    : model_(model), clock_(clock), wait_until_([&clock](Nanos at) { clock.advance_to(at); }) {}

SimExecutor::SimExecutor(const StepTimeModel& model, const RealClock& clock)
    : model_(model), clock_(clock), wait_until_([&clock](Nanos at) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(at - clock.now()));
      }) {}

void SimExecutor::launch(StepPlan plan) {
  assert(in_flight_.size() < 2);
  StepResult result;
  result.number = plan.number;
  for (const SequenceSlice& slice : plan.slices) {
    if (!slice.samples) continue;
    const std::int32_t last = slice.first_position + slice.count - 1;
    result.sampled.push_back({slice.request, slice.slot, simulated_token(slice.request, last), 0});
  }
  const Nanos duration = model_.predict(plan.shape);
  if (plan.shape.swapped_blocks > 0) {
    StepShape unswapped = plan.shape;
    unswapped.swapped_blocks = 0;
    result.swapping = duration - model_.predict(unswapped);
  }
  result.started = std::max(clock_.now(), last_end_);
  result.finished = result.started + duration;
  last_end_ = result.finished;
  in_flight_.push_back(std::move(result));
}

StepResult SimExecutor::collect() {
  assert(!in_flight_.empty());
  StepResult result = std::move(in_flight_.front());
  in_flight_.pop_front();
  wait_until_(result.finished);
  return result;
}

}  // namespace pitwall
