// SPDX-License-Identifier: GPL-3.0-or-later
// How values lie along the y axis of a plot: from 0, by decades, or by how little is missing to a whole.
#pragma once
#include <QString>
#include <vector>

#include "ui/widgets/ticks.h"

namespace pitwall::ui {

/// tail: percentages on an axis of 0, 90, 99, 99.9 …: each nine takes the same room, so that a tail can be
/// read.
enum class ValueScale : std::uint8_t { linear, log, tail };

/// Value → axis space. What the scale has no place for lies at its end.
double to_scale(ValueScale scale, double value);
/// Of data from `low` to `high`: linear from 0 and log outward to 1-2-5; tail from 0 to the data's end.
AxisLimits scale_limits(ValueScale scale, double low, double high);
std::vector<double> scale_ticks(ValueScale scale, AxisLimits limits, int most_ticks);
QString tick_text(ValueScale scale, AxisLimits limits, double tick);

}  // namespace pitwall::ui
