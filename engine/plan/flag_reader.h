// SPDX-License-Identifier: GPL-3.0-or-later
// What an engine was told, in our words: every flag is understood, or listed as having no counterpart.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_settings.h"

namespace pitwall {

struct EngineCommand;
struct EngineProfile;

struct UnderstoodFlag {
  std::string written;         ///< "--gpu-memory-utilization 0.9"
  std::string setting, value;  ///< ours; a secret's value is "(set)"
  std::string source;          ///< where the flag is described
  bool verified = true;        ///< false: from general knowledge
};

struct EngineReading {
  const EngineProfile* engine = nullptr;
  EngineSettings settings;
  int gpus = 0;  ///< granted; 0 = not said
  std::vector<UnderstoodFlag> understood;
  std::vector<UnmatchedFlag> unmatched;
  std::vector<std::string> notes;  ///< what differs in meaning, what was assumed
};

/// Later words win over earlier ones, flags over variables, variables over a configuration file. The error
/// names the flag whose value makes no sense.
Result<EngineReading> read_engine_settings(const EngineCommand& command);

/// One sentence for each memory setting that was said, in bytes as far as `terms` go, with what the same
/// number would be in engines that take it of something else: in `to` alone where that is given.
std::vector<std::string> memory_notes(const EngineReading& reading, const std::optional<MemoryTerms>& terms,
                                      const EngineProfile* to = nullptr);

}  // namespace pitwall
