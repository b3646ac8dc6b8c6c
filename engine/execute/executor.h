// SPDX-License-Identifier: GPL-3.0-or-later
// Executor: runs StepPlans in order. The engine launches one ahead and collects the oldest.
#pragma once
#include <memory>
#include <vector>

#include "engine/base/clock.h"
#include "engine/execute/transformer.h"
#include "engine/step/step_plan.h"

namespace pitwall {

/// launch and collect: engine thread only.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void launch(StepPlan plan) = 0;  ///< does not block; at most two in flight
  virtual StepResult collect() = 0;        ///< blocks for the oldest launched step
  /// Steps end as soon as they can from now on, `abandoned` in their results. Any thread, does not block.
  virtual void abandon() {}
};

/// The real one: an own thread drives the back end, so that plan n+1 overlaps step n; where the device
/// computes on its own, step n+1 is submitted while n runs, and collect() waits for the device.
class DeviceExecutor final : public Executor {
 public:
  DeviceExecutor(std::unique_ptr<Backend> backend, std::unique_ptr<Transformer> transformer, int max_slots,
                 const Clock& clock);
  ~DeviceExecutor() override;
  void launch(StepPlan plan) override;
  StepResult collect() override;
  void abandon() override;
  Backend& backend();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Rows a step is padded to, so that a captured step can be reused: 1, 2, 4, 8, then multiples of 8 up to
/// max_slots for decode; prefill steps have bucket 0 (never captured).
int bucket_of(const StepPlan& plan, int max_slots);
/// All of them, the largest first.
std::vector<int> decode_buckets(int max_slots);

}  // namespace pitwall
