// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between two runs: settings, load and environment apart, only the keys that differ.
#pragma once
#include <string>
#include <vector>

#include "engine/telemetry/run.h"

namespace pitwall {

struct DifferingKey {
  std::string name, before, after;  ///< empty = that run does not say
};

struct RunDifference {
  std::vector<DifferingKey> settings;     ///< of the table of settings
  std::vector<DifferingKey> load;         ///< "load.…"; the seed is left out, repeats have their own
  std::vector<DifferingKey> environment;  ///< device, processor, memory, system, model, version, build
};

/// Marks of sweeps and checklists are no difference.
RunDifference run_difference(const RunHeader& before, const RunHeader& after);

}  // namespace pitwall
