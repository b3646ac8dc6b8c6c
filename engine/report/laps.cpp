// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/laps.h"

namespace pitwall {

std::vector<Lap> laps(const std::vector<SettingChange>& changes) {
  std::vector<Lap> found;
  for (const SettingChange& change : changes) {
    if (found.empty() || change.utc - found.back().utc() >= kNanosPerSecond)
      found.push_back({static_cast<int>(found.size()) + 2, {}});
    found.back().changes.push_back(change);
  }
  return found;
}

}  // namespace pitwall
