// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/plot_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/report/cdf.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr double kLeastMissing = 1e-12;  // of a whole: beyond any number of samples
constexpr double kSlack = 1e-9;

/// 90, 99, 99.9 …
double nines(int count) {
  return 100 * share_of_nines(count);
}

std::vector<double> tail_ticks(AxisLimits limits, int most_ticks) {
  std::vector<double> ticks{0};
  if (limits.high < nines(1)) ticks.push_back(50);
  for (int count = 1; nines(count) <= limits.high + kSlack && count < -std::log10(kLeastMissing); ++count)
    ticks.push_back(nines(count));
  if (std::ssize(ticks) <= most_ticks) return ticks;
  std::vector<double> fewer;
  for (std::size_t i = 0; i < ticks.size(); i += 2) fewer.push_back(ticks[i]);
  return fewer;
}

}  // namespace

double to_scale(ValueScale scale, double value) {
  switch (scale) {
    case ValueScale::linear:
      break;
    case ValueScale::log:
      return std::log10(std::max(value, std::numeric_limits<double>::min()));
    case ValueScale::tail:
      return nines_of(std::min(value / 100, 1 - kLeastMissing));
  }
  return value;
}

AxisLimits scale_limits(ValueScale scale, double low, double high) {
  if (scale == ValueScale::log) return log_limits(low, high);
  return scale == ValueScale::tail ? AxisLimits{0, std::max(high, 50.0)} : linear_limits(high);
}

std::vector<double> scale_ticks(ValueScale scale, AxisLimits limits, int most_ticks) {
  if (scale == ValueScale::log) return log_ticks(limits, most_ticks);
  return scale == ValueScale::tail ? tail_ticks(limits, most_ticks) : linear_ticks(limits, kLinearSteps);
}

QString tick_text(ValueScale scale, AxisLimits limits, double tick) {
  if (scale == ValueScale::tail) {
    const int count = static_cast<int>(std::lround(to_scale(scale, tick)));
    return real_text(tick, std::max(0, count - 2)) + QStringLiteral(" %");
  }
  if (tick == 0) return QStringLiteral("0");
  const double step = scale == ValueScale::log ? tick : nice_step(limits.high - limits.low, kLinearSteps);
  return real_text(tick, std::clamp(static_cast<int>(-std::floor(std::log10(step) + kSlack)), 0, 6));
}

}  // namespace pitwall::ui
