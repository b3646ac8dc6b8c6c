// SPDX-License-Identifier: GPL-3.0-or-later
// Laps as charts show them.
#pragma once
#include <vector>

#include "engine/telemetry/records.h"
#include "ui/widgets/lap_lines.h"

namespace pitwall::ui {

/// Their texts say who made a change, where that is known.
std::vector<ChartLap> laps_of(const std::vector<SettingChange>& changes, int first = 2);

}  // namespace pitwall::ui
