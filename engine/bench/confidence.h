// SPDX-License-Identifier: GPL-3.0-or-later
// Confidence intervals of means over repeats, by Student's t.
#pragma once
#include <span>

namespace pitwall {

/// The value that Student's t with `freedom` degrees of freedom stays below with probability p. 0 < p < 1,
/// freedom ≥ 1.
double student_t_quantile(double p, int freedom);

struct Interval {
  double mean, low, high;  ///< NaN where undefined
};

/// 95 % by default. Two values or more; of one the mean alone is known.
Interval mean_interval(std::span<const double> values, double level = 0.95);

}  // namespace pitwall
