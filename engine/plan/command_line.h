// SPDX-License-Identifier: GPL-3.0-or-later
// EngineCommand: a pasted command, or a configuration file, taken apart: which engine, and what it is told.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/shell_words.h"

namespace pitwall {

struct EngineProfile;

using NamedText = std::pair<std::string, std::string>;

struct EngineCommand {
  const EngineProfile* engine = nullptr;
  std::vector<NamedText> environment;  ///< assignments in front, docker's -e, a manifest's env
  Words arguments;                     ///< behind the program, or behind the image
  std::vector<NamedText> config;       ///< dotted path → value, of a configuration file
  int gpus = 0;                        ///< granted by docker or a manifest; 0 = not said
  std::vector<std::string> notes;
};

/// As people paste it: assignments and sudo, env, nohup in front, `docker run … IMAGE …`, python -m, several
/// commands of which one starts an engine, or the flags alone. `engine` none = found out from the program,
/// the image or the flags; the error lists what is known.
Result<EngineCommand> read_command(std::string_view text, const EngineProfile* engine);
Result<EngineCommand> read_command(const Words& words, const EngineProfile* engine);

/// A YAML or JSON file: an engine's own configuration, a docker compose file, or a Kubernetes manifest (of
/// several documents the one with containers). Errors name line and column, or what is missing.
Result<EngineCommand> read_config(std::string_view text, const EngineProfile* engine);

}  // namespace pitwall
