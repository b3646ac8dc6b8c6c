// SPDX-License-Identifier: GPL-3.0-or-later
// How an engine's command line spells its flags: which words are flags, and which flags it knows.
#pragma once
#include <string>
#include <string_view>

namespace pitwall {

struct EngineFlag;
struct EngineProfile;
struct EngineSetting;

/// "--x", "-x", and for a Python call "x=…". Negative numbers are values.
bool is_flag(const EngineProfile& engine, std::string_view word);

/// "--max_model_len=8" → "--max-model-len" (engines take _ for - in long flags); a Python call's "x=8" → "x".
std::string flag_name(const EngineProfile& engine, std::string_view word);

bool same_flag(std::string_view a, std::string_view b);  ///< equal but for _ and - in long flags

/// The engine's own spelling of a flag that it knows; empty = it does not.
std::string known_flag(const EngineProfile& engine, std::string_view name);
/// The flag that an environment variable stands for where its name alone says so; empty = none.
std::string flag_of_variable(const EngineProfile& engine, std::string_view name);

/// Whether the engine takes a setting from that variable.
bool known_variable(const EngineProfile& engine, std::string_view name);

/// A known flag of the engine that is spelled most alike, within a third of its letters; empty when none is.
std::string nearest_flag(const EngineProfile& engine, std::string_view name);

/// The way and its setting by which another engine than `engine` takes that flag; nulls when none does.
struct ForeignFlag {
  const EngineProfile* engine = nullptr;
  const EngineSetting* setting = nullptr;
};
ForeignFlag foreign_flag(const EngineProfile& engine, std::string_view name);

}  // namespace pitwall
