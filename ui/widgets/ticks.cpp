// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pitwall::ui {

namespace {

constexpr double kShrinkAfterSeconds = 10;
constexpr std::array kMantissas{1.0, 2.0, 5.0};

/// The nearest 1-2-5 value at or below (`up` false) or at or above `value`.
double nice_value(double value, bool up) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  const double mantissa = value / decade;
  constexpr double kSlack = 1e-9;
  if (up) {
    for (const double m : kMantissas)
      if (mantissa <= m * (1 + kSlack)) return m * decade;
    return 10 * decade;
  }
  for (auto m = kMantissas.rbegin(); m != kMantissas.rend(); ++m)
    if (mantissa >= *m * (1 - kSlack)) return *m * decade;
  return decade;
}

}  // namespace

double nice_step(double span, int most_ticks) {
  if (!(span > 0)) return 1;
  return nice_value(span / std::max(1, most_ticks), true);
}

std::vector<double> linear_ticks(AxisLimits limits, int most_ticks) {
  const double step = nice_step(limits.high - limits.low, most_ticks);
  std::vector<double> ticks;
  for (double i = std::ceil(limits.low / step - 1e-9); i * step <= limits.high + 1e-9 * step; ++i)
    ticks.push_back(i * step);
  return ticks;
}

std::vector<double> log_ticks(AxisLimits limits, int most_ticks) {
  const auto collect = [&](bool all) {
    std::vector<double> ticks;
    for (int e = static_cast<int>(std::floor(std::log10(limits.low)));
         std::pow(10, e) <= limits.high * 1.0001; ++e)
      for (const double m : kMantissas) {
        const double value = m * std::pow(10, e);
        if ((all || m == 1) && value >= limits.low * 0.9999 && value <= limits.high * 1.0001)
          ticks.push_back(value);
      }
    return ticks;
  };
  std::vector<double> ticks = collect(true);
  if (std::ssize(ticks) <= most_ticks) return ticks;
  const std::vector<double> decades = collect(false);
  if (decades.size() < 2) return ticks;
  const std::size_t step = (decades.size() - 1) / static_cast<std::size_t>(std::max(1, most_ticks)) + 1;
  ticks.clear();
  for (std::size_t i = 0; i < decades.size(); i += step) ticks.push_back(decades[i]);
  return ticks;
}

std::vector<double> time_ticks(AxisLimits seconds, int most_ticks) {
  constexpr std::array kSteps{1,   2,   5,    10,   15,   30,    60,    120,  300,
                              600, 900, 1800, 3600, 7200, 21600, 43200, 86400};
  const double span = seconds.high - seconds.low, most = std::max(1, most_ticks);
  const auto found = std::find_if(kSteps.begin(), kSteps.end(), [&](int s) { return span / s <= most; });
  const double day = kSteps.back();
  const double step = found != kSteps.end() ? *found : std::ceil(span / most / day) * day;
  std::vector<double> ticks;
  for (double t = std::ceil(seconds.low / step) * step; t <= seconds.high; t += step) ticks.push_back(t);
  return ticks;
}

AxisLimits linear_limits(double largest) {
  if (!(largest > 0)) return {0, 1};
  const double step = nice_step(largest, kLinearSteps);
  return {0, std::ceil(largest / step - 1e-9) * step};
}

AxisLimits log_limits(double smallest, double largest) {
  if (!(smallest > 0) || !(largest >= smallest)) return {1, 10};
  AxisLimits limits{nice_value(smallest * 0.999, false), nice_value(largest * 1.001, true)};
  // Less than about a decade makes noise look like events.
  while (limits.high / limits.low < 9) {
    limits.high = nice_value(limits.high * 1.01, true);
    if (limits.high / limits.low < 9) limits.low = nice_value(limits.low * 0.99, false);
  }
  return limits;
}

AxisLimits SteadyLimits::update(AxisLimits wanted, double now_seconds) {
  const bool unset = limits_.high <= limits_.low;
  if (unset || wanted == limits_) {
    limits_ = wanted;
    smaller_since_ = -1;
    return limits_;
  }
  const bool outside = wanted.low < limits_.low || wanted.high > limits_.high;
  if (outside) {
    limits_ = {std::min(limits_.low, wanted.low), std::max(limits_.high, wanted.high)};
    smaller_since_ = -1;
  } else if (smaller_since_ < 0) {
    smaller_since_ = now_seconds;
  } else if (now_seconds - smaller_since_ >= kShrinkAfterSeconds) {
    limits_ = wanted;
    smaller_since_ = -1;
  }
  return limits_;
}

}  // namespace pitwall::ui
