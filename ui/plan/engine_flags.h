// SPDX-License-Identifier: GPL-3.0-or-later
// Between a plan and other engines' flags, both ways, as the page's dialogs need it.
#pragma once
#include <QString>
#include <QStringList>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/flag_reader.h"

namespace pitwall::ui {

enum class FlagsForm { command, compose, kubernetes };
struct FlagsText {
  QString text;  ///< to paste or to write to a file
  QStringList notes;
};
/// The error says why the engine has none of that form.
Result<FlagsText> flags_text(const DeploymentPlan& plan, const EngineProfile& engine, FlagsForm form);

/// A command, an engine's configuration file, a compose file or a manifest. `engine` null = found out.
Result<EngineReading> read_pasted(const std::string& text, const EngineProfile* engine);

/// What the command says, with the rest of `now` where it says nothing: demand, GPU.
Deployment deployment_from(const EngineReading& reading, const Deployment& now,
                           const std::optional<MemoryTerms>& terms);

}  // namespace pitwall::ui
