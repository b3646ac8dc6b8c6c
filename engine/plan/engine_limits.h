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

/// One setting that gives way.
struct LimitChange {
  std::string setting, note;  ///< "max-num-seqs is 64 instead of 128: …"
  std::string refusal;        ///< why the engine would not start without it; empty of a switch
  std::int64_t from = 0, to = 0;
};

/// Changes what the engine would refuse, in the order of its limits.
/// `longest`: tokens of the longest sequence, where the settings do not say; 0 = not known.
std::vector<LimitChange> keep_limits(EngineSettings& settings, const EngineProfile& engine,
                                     const EnginePlace& place, std::int64_t longest);

}  // namespace pitwall
