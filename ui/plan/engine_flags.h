// SPDX-License-Identifier: GPL-3.0-or-later
// Between a plan and other engines' flags, both ways, as the page's dialogs need it.
#pragma once
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/flag_reader.h"
#include "ui/widgets/flags_dialog.h"

namespace pitwall::ui {

/// "Flags for other engines…": the same deployment as each engine is told it, as a command or a manifest.
void show_engine_flags(const DeploymentPlan& plan, QWidget* parent);

/// A command, an engine's configuration file, a compose file or a manifest. `engine` null = found out.
Result<EngineReading> read_pasted(const std::string& text, const EngineProfile* engine);

/// What the planner makes of the command where `now` runs; none while its model or GPU is not known.
std::optional<MemoryTerms> terms_of(const EngineReading& reading, const ModelOutline& model,
                                    const GpuProfile& gpu);

/// What the command says, with the rest of `now` where it says nothing: demand, GPU.
Deployment deployment_from(const EngineReading& reading, const Deployment& now,
                           const std::optional<MemoryTerms>& terms);

}  // namespace pitwall::ui
