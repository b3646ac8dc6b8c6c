// SPDX-License-Identifier: GPL-3.0-or-later
// Where an axis has its marks: 1-2-5 steps, decades with 2 and 5, whole seconds and minutes.
#pragma once
#include <vector>

namespace pitwall::ui {

struct AxisLimits {
  double low = 0, high = 1;
  bool operator==(const AxisLimits&) const = default;
};

double nice_step(double span,
                 int most_ticks);  ///< smallest 1, 2 or 5 × 10ⁿ that gives at most that many steps
std::vector<double> linear_ticks(AxisLimits limits, int most_ticks);
std::vector<double> log_ticks(
    AxisLimits limits,
    int most_ticks);  ///< 1-2-5 a decade; where room is short decades, or each second, third …
std::vector<double> time_ticks(
    AxisLimits seconds,
    int most_ticks);  ///< UTC seconds at whole multiples; local midnight aligned by the caller's offset

inline constexpr int kLinearSteps = 4;     ///< a linear axis has at most so many, and ends on one
AxisLimits linear_limits(double largest);  ///< from 0 up to the next 1-2-5 step
AxisLimits log_limits(double smallest, double largest);  ///< outward to 1-2-5

/// Limits that do not dance: they grow at once and shrink only when the smaller range held for 10 s.
class SteadyLimits {
 public:
  AxisLimits update(AxisLimits wanted, double now_seconds);

 private:
  AxisLimits limits_{0, 0};
  double smaller_since_ = -1;
};

}  // namespace pitwall::ui
