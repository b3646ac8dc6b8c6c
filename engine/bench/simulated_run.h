// SPDX-License-Identifier: GPL-3.0-or-later
// SimulatedRun: a trace played through a model on GPUs under settings, and the figures of it. What `simulate`
// does.
#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "engine/bench/bench_result.h"
#include "engine/bench/simulated_machine.h"
#include "engine/bench/trace.h"

namespace pitwall {

class Settings;

struct SimulationWish {
  ModelOutline model;
  GpuProfile gpu;
  int tensor_parallel = 1;                  ///< GPUs of each replica
  int replicas = 1;                         ///< which requests go to in turn
  std::string engine{kOwnEngine};           ///< whose kernels' step times
  std::optional<int> max_concurrency = {};  ///< requests sent and not ended; the others wait at the client
  const std::atomic<bool>* cancel = nullptr;
};

struct SimulatedRun {
  SimulatedMachine machine;
  BenchResult result;
  LedgerSnapshot ledger;  ///< of each GPU of the first replica, at the end
  Summary scheduler_us;   ///< real time of a step's planning
  std::size_t steps = 0;
  std::vector<StepRecord> first_steps;  ///< up to kRunSteps
  std::vector<RequestRecord> requests;  ///< in the trace's order, virtual times from 0
  QuantileSketch itl;                   ///< every gap between their tokens, ms
  /// Of virtual time: running, waiting and KV are the largest of the steps that ended in each. Latency is
  /// that of a single replica; of several it is left out.
  std::vector<SecondRecord> seconds;
  std::int64_t failed = 0;
  std::int64_t first_failed = 0;  ///< number of the request, from 1
  std::string first_failure;
};

/// `settings`: those of memory and scheduling. Errors name the setting, or "tensor-parallel-size";
/// Error::cancelled by the wish's `cancel`.
Result<SimulatedRun> simulate_run(const Trace& trace, const SimulationWish& wish, const Settings& settings);

}  // namespace pitwall
