// SPDX-License-Identifier: GPL-3.0-or-later
// A soak: random requests come, run, are preempted and are cancelled until an engine has made many steps;
// then everything must be as it was.
#pragma once
#include <cstdint>
#include <string>

#include "engine/serve/engine.h"

namespace pitwall {

struct SoakLoad {
  std::int64_t steps = 20'000;
  std::uint64_t seed = 1;
  int outstanding = 64;  ///< requests at once, running or waiting
  int most_prompt = 200, most_output = 120;
};

struct SoakResult {
  std::int64_t steps = 0, requests = 0, cancelled = 0, failed = 0;
  std::int64_t preemptions = 0, swapped_tokens = 0, recomputed_tokens = 0;
  Bytes accounted_before = 0, accounted_after = 0;
  Bytes measured_before = 0, measured_after = 0;
  std::string problem;  ///< the first fault: a request that failed, an engine that ended, blocks that stayed
};

/// The engine's own checker runs after each commit where it was started with strict_checks. Returns when the
/// steps are made and all requests have ended.
SoakResult run_soak(Engine& engine, const SoakLoad& load);

}  // namespace pitwall
