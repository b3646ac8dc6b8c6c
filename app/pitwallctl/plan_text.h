// SPDX-License-Identifier: GPL-3.0-or-later
// A deployment's plan as text and as JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/plan/deployment_plan.h"

namespace pitwall::ctl {

/// `requests_stated`: by whoever asked; otherwise the plan is for a usual number.
std::string plan_text(const DeploymentPlan& plan, bool requests_stated);
nlohmann::ordered_json plan_json(const DeploymentPlan& plan, bool requests_stated);

}  // namespace pitwall::ctl
