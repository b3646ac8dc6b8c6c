// SPDX-License-Identifier: GPL-3.0-or-later
// EngineCommand: a pasted command, or a configuration file, taken apart: which engine, and what it is told.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/shell_words.h"

namespace pitwall {

struct EngineProfile;

struct EngineCommand {
  const EngineProfile* engine = nullptr;
  std::vector<NamedText> environment;  ///< assignments in front, docker's -e, a manifest's env
  Words arguments;                     ///< behind the program, or behind the image
  std::vector<NamedText> config;       ///< dotted path → value, of a configuration file
  int gpus = 0;                        ///< granted by docker or a manifest; 0 = not said
  std::vector<std::string> notes;
};

/// The engine that an image, or a program among its words, starts; nullptr = none that is known.
const EngineProfile* engine_started_by(const std::string& image, const Words& words);

/// Takes out the variables whose values were put in place, unless they tell the engine something by
/// themselves; a note names those that came to defaults in the text.
void drop_filled_in(const Variables& variables, EngineCommand& command);

/// As people paste it: assignments and sudo, env, nohup in front, `docker run … IMAGE …`, python -m, several
/// commands of which one starts an engine, or the flags alone. `engine` none = found out from the program,
/// the image or the flags; the error lists what is known. Variables that the text assigns are filled in.
Result<EngineCommand> read_command(std::string_view text, const EngineProfile* engine);
Result<EngineCommand> read_command(const Words& words, const EngineProfile* engine);

/// A YAML or JSON file: an engine's own configuration, a docker compose file, or Kubernetes manifests. Of
/// several containers the first that starts an engine is read; notes say what else is there. Errors name line
/// and column, or what is missing.
Result<EngineCommand> read_config(std::string_view text, const EngineProfile* engine);

}  // namespace pitwall
