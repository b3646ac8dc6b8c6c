// SPDX-License-Identifier: GPL-3.0-or-later
// Min/max decimation: a one-sample spike survives every zoom, and a gap in the data stays a gap in the line.
#pragma once
#include <span>
#include <vector>

namespace pitwall::ui {

struct PlotPoint {
  double x = 0, y = 0;
  bool operator==(const PlotPoint&) const = default;
};

/// Points with x in [low, high] (and one neighbour on either side) as unbroken segments, cut at NaN. Of each
/// of the `columns` pixel columns the first, smallest, largest and last point are kept, in order. x
/// ascending.
std::vector<std::vector<PlotPoint>> decimate(std::span<const double> x, std::span<const double> y, double low,
                                             double high, int columns);

}  // namespace pitwall::ui
