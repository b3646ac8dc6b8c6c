// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/confidence.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace pitwall {

namespace {

/// P(|T| < t) as a finite sum in the angle atan(t/√ν) (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4).
double two_sided(double t, int freedom) {
  const double angle = std::atan(t / std::sqrt(freedom));
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? cosine : 1, sum = freedom > 1 ? term : 0;
  for (int k = odd ? 3 : 2; k <= freedom - 2; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

}  // namespace

double student_t_quantile(double p, int freedom) {
  const double wanted = std::abs(2 * p - 1);
  double low = 0, high = 1;
  while (two_sided(high, freedom) < wanted && high < 1e12) high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (two_sided(middle, freedom) < wanted ? low : high) = middle;
  }
  return p < 0.5 ? -high : high;
}

Interval mean_interval(std::span<const double> values, double level) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {kNaN, kNaN, kNaN};
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return {mean, kNaN, kNaN};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  const double half = student_t_quantile(0.5 + level / 2, static_cast<int>(values.size()) - 1) * error;
  return {mean, mean - half, mean + half};
}

}  // namespace pitwall
