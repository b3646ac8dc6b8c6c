// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a checklist's model is one that its target can measure, before anything is measured.
#pragma once
#include "engine/base/result.h"
#include "engine/telemetry/checklist.h"

namespace pitwall::ui {

/// Reads at most a file's header. The error is short, names the nearest profiles, and has the param "model".
Result<void> check_model(const Checklist& checklist);

}  // namespace pitwall::ui
