// SPDX-License-Identifier: GPL-3.0-or-later
// Laps: the time between live changes of settings. Lap 1 is from the start.
#pragma once
#include <vector>

#include "engine/telemetry/records.h"
#include "ui/widgets/lap_lines.h"

namespace pitwall::ui {

/// What changed within a second is one lap. Without lap 1, which no change begins.
std::vector<ChartLap> laps_of(const std::vector<SettingChange>& changes);

}  // namespace pitwall::ui
