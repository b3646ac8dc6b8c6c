// SPDX-License-Identifier: GPL-3.0-or-later
// What an engine refuses to start with, and what is told it instead: EngineProfile::limits, kept in one
// place.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace pitwall {

struct EnginePlace;
struct EngineProfile;
struct EngineSettings;

/// Changes what the engine would refuse, in the order of its limits, and returns a note for each change.
/// `longest`: tokens of the longest sequence, where the settings do not say; 0 = not known.
std::vector<std::string> keep_limits(EngineSettings& settings, const EngineProfile& engine,
                                     const EnginePlace& place, std::int64_t longest);

}  // namespace pitwall
