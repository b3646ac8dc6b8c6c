// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/effect.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pitwall {

namespace {

Reading reading_of(const Interval& difference, std::optional<bool> more_is_better) {
  if (std::isnan(difference.mean)) return Reading::undefined;
  if (std::isnan(difference.low)) return Reading::one_pair;
  if (difference.low <= 0 && difference.high >= 0) return Reading::no_change;
  if (!more_is_better) return Reading::moved;
  return (difference.mean > 0) == *more_is_better ? Reading::better : Reading::worse;
}

Effect effect_of(double before, double after, const Interval& difference,
                 std::optional<bool> more_is_better) {
  Effect effect{before, after, difference};
  const double whole = before != 0 ? before : std::nan("");
  effect.percent = 100 * difference.mean / whole;
  effect.percent_half = 100 * (difference.high - difference.mean) / std::abs(whole);
  effect.reading = reading_of(difference, more_is_better);
  return effect;
}

/// Squared error of a mean.
double squared_error(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = mean_interval(values).mean;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / (n - 1) / n;
}

/// Half of Welch's interval of a difference of means, 95 %; NaN without two values on each side.
double welch_half(std::span<const double> before, std::span<const double> after) {
  if (before.size() < 2 || after.size() < 2) return std::nan("");
  const double a = squared_error(before), b = squared_error(after);
  if (a + b == 0) return 0;
  const double freedom =
      (a + b) * (a + b) /
      (a * a / static_cast<double>(before.size() - 1) + b * b / static_cast<double>(after.size() - 1));
  return student_t_quantile(0.975, std::max(1, static_cast<int>(freedom))) * std::sqrt(a + b);
}

}  // namespace

Effect paired_effect(std::span<const double> before, std::span<const double> after,
                     std::optional<bool> more_is_better) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < before.size(); ++i) differences.push_back(after[i] - before[i]);
  return effect_of(mean_interval(before).mean, mean_interval(after).mean, mean_interval(differences),
                   more_is_better);
}

Effect unpaired_effect(double before, double after, std::span<const double> stretches_before,
                       std::span<const double> stretches_after, std::optional<bool> more_is_better) {
  const double half = welch_half(stretches_before, stretches_after), difference = after - before;
  return effect_of(before, after, {difference, difference - half, difference + half}, more_is_better);
}

}  // namespace pitwall
