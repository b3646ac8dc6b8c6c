// SPDX-License-Identifier: GPL-3.0-or-later
// One value between our words and an engine's: names of formats, units, special numbers.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace pitwall {

struct EngineFlag;
struct EngineProfile;
struct EngineSettingInfo;

/// What some flags count otherwise than we do.
struct FlagScale {
  int ranks = 1;                                 ///< GPUs over which a size per rank is spread
  int sequences = 1;                             ///< sequences among which a shared context is divided
  int replicas = 1;                              ///< that share the experts
  int gpus() const { return ranks * replicas; }  ///< of a stage: what experts are dealt out to
};

/// Whether the flag can mean this setting at all: one flag can carry a number and, by a special value, a
/// switch.
bool flag_takes(const EngineSettingInfo& info, const EngineFlag& flag, std::string_view theirs);

/// Theirs in our words. `shown`: the flag as written, for the error, which lists what is legal.
Result<std::string> ours_of(const EngineProfile& engine, const EngineSettingInfo& info,
                            const EngineFlag& flag, std::string_view theirs, std::string_view shown,
                            const FlagScale& scale = {});

struct FlagText {
  std::string text;
  bool exact = true;  ///< false: a size was cut to whole units
};
/// Ours as the engine spells it; none when it has no word for the value.
std::optional<FlagText> theirs_of(const EngineSettingInfo& info, const EngineFlag& flag,
                                  std::string_view ours, const FlagScale& scale = {});

/// Whether the engine has a word for the value.
bool can_tell(const EngineProfile& engine, std::string_view setting, std::string_view ours);

/// What it has words for, in ours: "16, 32, 64", "multiples of 16"; empty where it has none or no list.
std::string tellable_values(const EngineProfile& engine, std::string_view setting);

/// "32k" = 32,000 and "32K" = 32,768, as vLLM reads them, and "1e6"; none for what is no such number.
std::optional<double> human_number(std::string_view text);

}  // namespace pitwall
