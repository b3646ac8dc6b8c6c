// SPDX-License-Identifier: GPL-3.0-or-later
// What the planner expects an engine to book, for comparison with what it has booked.
#pragma once
#include <string>

#include "engine/plan/deployment_plan.h"
#include "engine/settings/settings.h"

namespace pitwall::ui {

/// Of the settings at its start, on this computer's own memory. `booked`: the ledger soon after, for the
/// memory that the device has and others hold. Reads the model's header.
Result<RankPlan> planned_memory(const std::string& model, const Settings& settings,
                                const LedgerSnapshot& booked);

}  // namespace pitwall::ui
