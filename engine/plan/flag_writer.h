// SPDX-License-Identifier: GPL-3.0-or-later
// Settings as an engine's flags: what it has no word for is said in the notes, never dropped silently.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/command_line.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_settings.h"

namespace pitwall {

struct DeploymentPlan;
struct EngineProfile;
struct EngineReading;

struct WrittenFlags {
  const EngineProfile* engine = nullptr;
  std::string model;                   ///< empty = not said
  Words arguments;                     ///< flags and values; keys stand as "$NAME" of a variable
  std::vector<NamedText> environment;  ///< variables that are settings
  std::string config_name, config;     ///< a file that the flags name: its name and its YAML; empty = none
  std::vector<std::string> notes;
};

/// Shares and bytes of GPU memory that the engine takes of something else are computed from `terms`; without
/// them they are left out, and a note says what is needed. `there`: the same deployment on that engine
/// (memory_terms_on), where it holds something else.
WrittenFlags write_flags(const EngineProfile& engine, const EngineSettings& settings,
                         const std::optional<MemoryTerms>& terms,
                         const std::optional<MemoryTerms>& there = std::nullopt);

/// What was planned, for any engine: the same bytes of KV.
WrittenFlags write_flags(const EngineProfile& engine, const DeploymentPlan& plan);

/// What was read for one engine, written for another. Defaults of the first that the second does not share
/// are written too; for the same engine, flags without a counterpart stay.
WrittenFlags translate(const EngineReading& reading, const EngineProfile& to,
                       const std::optional<MemoryTerms>& terms,
                       const std::optional<MemoryTerms>& there = std::nullopt);

/// The words that start the engine: its command with the model, then the flags. Without a model "MODEL"
/// stands in its place.
Words command_words(const WrittenFlags& written);
/// Those words to paste, variables in front; for an engine of Python calls the call.
std::string command_text(const WrittenFlags& written);

}  // namespace pitwall
