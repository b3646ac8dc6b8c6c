// SPDX-License-Identifier: GPL-3.0-or-later
// Axis: from data limits to ticks at 1, 2 and 5 times powers of ten, with labels in the C locale.
#pragma once
#include <string>
#include <vector>

namespace pitwall {

struct Axis {
  bool log = false;
  double low = 0, high = 1;
  std::vector<double> ticks;  ///< ascending, within [low, high]
  int decimals = 0;           ///< of a linear axis's labels
  bool nines = false;         ///< values are nines_of() shares, labels those shares

  double fraction(double value) const;  ///< 0 at low, 1 at high
  std::string label(double tick) const;
};

enum class Limits { as_given, at_ticks };

/// About `wanted` ticks. at_ticks widens the limits to the next tick.
Axis linear_axis(double low, double high, int wanted, Limits limits);

/// Limits widened to the next of 1, 2, 5; needs 0 < low ≤ high. Over many decades only their starts are
/// ticks.
Axis log_axis(double low, double high);

/// From 0 % up to the next 90, 99, 99.9 … % that is not below `high`.
Axis nines_axis(double high);

}  // namespace pitwall
