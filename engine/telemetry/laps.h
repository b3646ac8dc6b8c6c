// SPDX-License-Identifier: GPL-3.0-or-later
// Laps: the time between live changes of settings. Lap 1 is from the start.
#pragma once
#include <vector>

#include "engine/telemetry/records.h"

namespace pitwall {

struct Lap {
  int number = 2;                      ///< 1 is the time before the first change
  std::vector<SettingChange> changes;  ///< that begin it, in their order
  Nanos utc() const { return changes.front().utc; }
};

/// What changed within a second is one lap.
inline bool begins_lap(Nanos lap_before, Nanos change) {
  return change - lap_before >= kNanosPerSecond;
}

/// Without lap 1, which no change begins. `first` is the number of the lap that the first change begins.
std::vector<Lap> laps(const std::vector<SettingChange>& changes, int first = 2);

}  // namespace pitwall
