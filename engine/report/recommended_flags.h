// SPDX-License-Identifier: GPL-3.0-or-later
// What a checklist recommends, as this engine and others are told it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/bench/checklist.h"
#include "engine/telemetry/checklist.h"

namespace pitwall {

struct FlagsForm {
  std::string name, title;  ///< "pitwall" (a command), "json", or a name of engine_profiles()
};
std::vector<FlagsForm> flags_forms();

struct RecommendedFlags {
  std::string text;  ///< to paste
  /// What the engine has no word for, takes of something else, or cannot have: devices, weights.
  std::vector<std::string> notes;
};

/// Something is measured or decided: before that the base alone would be recommended, which is what the items
/// are to improve. `results`: one an item.
bool is_any_judged(const Checklist& checklist, const std::vector<ItemResult>& results);

/// The recommended settings that differ from the defaults; `results`: one an item. Error::param is the
/// setting that makes no sense, or "form".
Result<RecommendedFlags> recommended_flags(const Checklist& checklist, const std::vector<ItemResult>& results,
                                           std::string_view form);

}  // namespace pitwall
