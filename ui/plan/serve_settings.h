// SPDX-License-Identifier: GPL-3.0-or-later
// A deployment as settings of this engine.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/deployment_plan.h"

namespace pitwall::ui {

/// Names of setting_table() with values as its set() reads them.
std::vector<std::pair<std::string, std::string>> serve_settings(const DeploymentPlan& plan);

}  // namespace pitwall::ui
