// SPDX-License-Identifier: GPL-3.0-or-later
// The real scheduler and KV cache against a step-time model on a virtual clock: deterministic, one thread.
#pragma once
#include <atomic>
#include <optional>
#include <vector>

#include "engine/bench/trace.h"
#include "engine/cache/kv_cache.h"
#include "engine/schedule/scheduler.h"
#include "engine/telemetry/records.h"

namespace pitwall {

struct SimulationConfig {
  SchedulerConfig scheduler;
  KvCacheConfig cache;                        ///< hash_seed is pinned where it is not set
  std::optional<int> max_concurrency;         ///< requests sent and not ended; the others wait at the client
  bool strict_checks = false;                 ///< Scheduler::check after each commit
  const std::atomic<bool>* cancel = nullptr;  ///< looked at before each step; it outlives the simulation
};

/// Two simulations of the same give the same, all but scheduler_us. Times are virtual, from 0 at the trace's
/// start.
struct Simulation {
  std::vector<RequestRecord> requests;  ///< in the trace's order
  std::vector<double> itl_ms;           ///< every gap between two tokens of a request
  std::vector<StepRecord> steps;        ///< plan_ns and commit_ns are 0: planning takes no virtual time
  std::vector<SecondRecord> seconds;    ///< what the recorder says of each; of one replica alone
  std::vector<double>
      scheduler_us;     ///< real time of the StepPump's two calls for each step: plan, commit, record
  KvCacheCounts cache;  ///< at the end
  int peak_used_blocks = 0;
  int peak_live = 0;                         ///< requests sent and not ended
  std::int64_t peak_tokens_in_a_second = 0;  ///< output tokens
};

/// Output lengths are the trace's; no end token is ever sampled. A request that the scheduler refuses is
/// recorded with its error and the others go on. Error::cancelled by `cancel`; fails when the configuration
/// is wrong, a check fails, or the scheduler has work and plans nothing.
Result<Simulation> simulate(const Trace& trace, const SimulationConfig& config, const StepTimeModel& model);

}  // namespace pitwall
