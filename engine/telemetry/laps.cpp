// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/laps.h"

namespace pitwall {

std::vector<Lap> laps(const std::vector<SettingChange>& changes, int first) {
  std::vector<Lap> found;
  for (const SettingChange& change : changes) {
    if (found.empty() || begins_lap(found.back().utc(), change.utc))
      found.push_back({static_cast<int>(found.size()) + first, {}});
    found.back().changes.push_back(change);
  }
  return found;
}

}  // namespace pitwall
