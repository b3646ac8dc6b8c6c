// SPDX-License-Identifier: GPL-3.0-or-later
// The scheduler's configuration from the table of settings.
#pragma once
#include "engine/base/result.h"
#include "engine/schedule/scheduler.h"
#include "engine/settings/settings.h"

namespace pitwall {

/// Everything but max_model_len and max_logit_rows, which the loader decides. Errors name the setting.
Result<SchedulerConfig> scheduler_config(const Settings& settings);

}  // namespace pitwall
