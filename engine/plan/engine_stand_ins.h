// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that an engine has no word for, told by another of its settings that comes near.
#pragma once
#include <string>
#include <vector>

namespace pitwall {

struct EngineProfile;
struct EngineSettings;

/// Puts the near setting in the place of the one that `engine` lacks; returns a note where something changes.
std::vector<std::string> stand_in(EngineSettings& settings, const EngineProfile& engine);

}  // namespace pitwall
