// SPDX-License-Identifier: GPL-3.0-or-later
// EngineSettings: what an engine is told, in our words. Names are those of the table of settings where it has
// the idea, else neutral ones; values are texts in one spelling, so that equal settings are equal texts.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

struct Deployment;
struct EnginePlace;
struct EngineProfile;
struct MemoryTerms;

enum class EngineValue { text, integer, real, share, size, boolean, integers };

struct EngineSettingInfo {
  std::string_view name;
  EngineValue type;
  std::string_view title;                                ///< "longest sequence"
  std::int64_t least = 1, most = std::int64_t{1} << 52;  ///< of an integer; exact as a double
};
std::span<const EngineSettingInfo> engine_setting_table();
const EngineSettingInfo* find_engine_setting(std::string_view name);  ///< nullptr when unknown

/// A flag of the source engine that says nothing any other engine could be told.
struct UnmatchedFlag {
  std::vector<std::string> words;  ///< as written, value included; a secret value is left out
  bool known = false;              ///< of that engine, to us
  std::string nearest;             ///< known flag that is spelled most alike; empty when none is near
};

struct EngineSettings {
  std::map<std::string, std::string, std::less<>> values;            ///< name → value; absent = not said
  const std::string* find(std::string_view name) const;              ///< nullptr when not said
  std::optional<std::int64_t> integer(std::string_view name) const;  ///< none also for "auto"
  std::optional<double> real(std::string_view name) const;
  int ranks() const;     ///< tensor-parallel-size, at least 1
  int replicas() const;  ///< data-parallel-size, at least 1
};

/// The one spelling of a value, or the error that names `shown` (the flag) and what would be legal. Sizes are
/// bytes.
Result<std::string> canonical_value(const EngineSettingInfo& info, std::string_view text,
                                    std::string_view shown);

/// Takes out a format of weights that the model's checkpoint lacks and that engines end with, since they
/// cannot make it (AWQ, GPTQ). Returns the note that says so; empty = nothing was taken out.
std::string drop_missing_format(EngineSettings& settings);

/// A canonical value for messages: sizes with their unit.
std::string human_value(const EngineSettingInfo& info, const std::string& value);

/// Whether there are several replicas whose attention is their own, while all their GPUs share the experts of
/// a layer: as told, or as the engine has it.
bool replicas_share_experts(const EngineSettings& settings, const EngineProfile& engine);

/// Whether all sequences together have the tokens that the engine is told as their length (llama.cpp): as
/// told, or where nobody counts its slots.
bool shares_context(const EngineSettings& settings, const EngineProfile& engine);

/// Where the settings put an engine; GPU and memory as far as `terms` know them.
EnginePlace place_of(const EngineSettings& settings, const EngineProfile& engine,
                     const std::optional<MemoryTerms>& terms);

/// Empty when neither is known.
std::string said_or_default(const EngineSettings& settings, const EngineProfile& engine,
                            const EnginePlace& place, std::string_view name);

/// What `settings` say as a deployment; what they do not say is the engine's default where that is known,
/// else Deployment's. Tokens and blocks of KV become bytes where `terms` are known.
Deployment deployment_of(const EngineSettings& settings, const EngineProfile& engine,
                         const std::optional<MemoryTerms>& terms);

/// Tokens of a KV block, as said or as the engine has it unasked; 1 where neither is known.
int block_size_of(const EngineSettings& settings, const EngineProfile& engine);

/// All that a deployment says.
EngineSettings settings_of(const Deployment& deployment);

}  // namespace pitwall
