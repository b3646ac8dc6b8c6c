// SPDX-License-Identifier: GPL-3.0-or-later
// Several equal engines behind a router: each simulated on its own, the records together again.
#pragma once
#include "engine/bench/simulation.h"

namespace pitwall {

/// Requests go to the replicas in turn, all turns of a conversation to the same one; max_concurrency is
/// shared out, rounded up. Peaks are sums of the replicas' own, whenever those were; pool and cache figures
/// are the first replica's. Errors as simulate().
Result<Simulation> simulate_replicas(const Trace& trace, const SimulationConfig& config,
                                     const StepTimeModel& model, int replicas);

}  // namespace pitwall
