// SPDX-License-Identifier: GPL-3.0-or-later
// StepPump: plan n+1, launch n+1, collect n, commit n, record n, without threads or waiting. The engine
// thread and the simulation turn the same one.
#pragma once
#include <deque>

#include "engine/execute/executor.h"
#include "engine/schedule/scheduler.h"
#include "engine/telemetry/recorder.h"

namespace pitwall {

/// One thread at a time.
class StepPump {
 public:
  StepPump(Scheduler& scheduler, KvCache& cache, Executor& executor, Recorder& recorder, const Clock& clock)
      : scheduler_(scheduler), cache_(cache), executor_(executor), recorder_(recorder), clock_(clock) {}

  /// False when there is nothing that can run now, or two steps are in flight.
  bool launch_next();
  /// Blocks for the oldest step in flight. There must be one.
  Committed collect_oldest();
  /// The executor has had no work: the time until the next step is no gap.
  void rested() { last_finished_ = 0; }
  /// Waits for what is in flight and forgets it.
  void drain();

 private:
  struct InFlight {
    StepRecord record;
    std::vector<StepEvent> events;
    int evicted = 0;
  };
  void record_admissions(InFlight& step);
  void record_preemptions(InFlight& step, const std::vector<PreemptionEvent>& preempted, Nanos at);

  Scheduler& scheduler_;
  KvCache& cache_;
  Executor& executor_;
  Recorder& recorder_;
  const Clock& clock_;
  std::deque<InFlight> in_flight_;
  std::vector<PreemptionEvent> unplaced_;  // happened with nothing in flight, and no step has followed
  Nanos last_finished_ = 0;                // of the executor; 0 after a time without work
};

}  // namespace pitwall
