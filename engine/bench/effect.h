// SPDX-License-Identifier: GPL-3.0-or-later
// Effect: what a change did to one figure: over repeats that are paired, repeat k has the same requests
// before and after; or between two runs, by the stretches that each is cut into.
#pragma once
#include <optional>
#include <span>

#include "engine/bench/confidence.h"

namespace pitwall {

enum class Reading {
  better,
  worse,
  moved,      ///< clearly, and neither way is better
  no_change,  ///< the interval spans zero
  one_pair,   ///< no interval: not judged
  undefined   ///< no pair, or the figure is not defined
};

struct Effect {
  double before = 0, after = 0;  ///< means over the pairs; NaN where undefined
  Interval difference{};         ///< after − before, 95 %
  double percent = 0,
         percent_half = 0;  ///< difference and half its interval, of the mean before; NaN where that is 0
  Reading reading = Reading::undefined;
};

/// `before` and `after` are of equal length; NaN in one makes the figure undefined. `more_is_better`: none =
/// neither.
Effect paired_effect(std::span<const double> before, std::span<const double> after,
                     std::optional<bool> more_is_better);

/// Of single runs, whose figures are `before` and `after`: the interval is Welch's, of the figure in equally
/// long stretches of each (batch means). Fewer than two stretches on a side: no interval.
Effect unpaired_effect(double before, double after, std::span<const double> stretches_before,
                       std::span<const double> stretches_after, std::optional<bool> more_is_better);

}  // namespace pitwall
