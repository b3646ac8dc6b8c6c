// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/units.h"
#include "engine/report/cdf.h"

namespace pitwall {
namespace {

constexpr std::array kMantissas = {1.0, 2.0, 5.0};
constexpr int kDecadesWithInnerTicks = 3;
constexpr int kMaxTicks = 40;

/// The smallest of 1, 2, 5 × 10^k that is not below `value`.
double round_up(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  for (const double mantissa : kMantissas) {
    if (mantissa * decade >= value * (1 - 1e-12)) return mantissa * decade;
  }
  return 10 * decade;
}

/// The largest of 1, 2, 5 × 10^k that is not above `value`.
double round_down(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  double result = decade;
  for (const double mantissa : kMantissas) {
    if (mantissa * decade <= value * (1 + 1e-12)) result = mantissa * decade;
  }
  return result;
}

std::string grouped(double value, int decimals) {
  constexpr double kGroupedUpTo = 1e15;
  if (std::fabs(value) >= kGroupedUpTo) return fmt::format("{:.3g}", value);
  if (decimals > 0) return fmt::format("{:.{}f}", value, decimals);
  return format_count(std::llround(value));
}

}  // namespace

double Axis::fraction(double value) const {
  if (log) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

std::string Axis::label(double tick) const {
  if (nines) return nines_label(static_cast<int>(std::lround(tick)));
  if (!log) return grouped(tick, decimals);
  return tick >= 1 ? grouped(tick, 0) : fmt::format("{:g}", tick);
}

Axis linear_axis(double low, double high, int wanted, Limits limits) {
  const double span_that_matters = std::max({std::fabs(low), std::fabs(high), 1e-90}) * 1e-9;
  if (!(high - low > span_that_matters)) high = low + std::max(std::fabs(low) * 0.1, 1.0);
  Axis axis;
  const double step = round_up((high - low) / wanted);
  axis.decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
  const bool widened = limits == Limits::at_ticks;
  const double first = widened ? std::floor(low / step + 1e-9) : std::ceil(low / step - 1e-9);
  const double last = widened ? std::ceil(high / step - 1e-9) : std::floor(high / step + 1e-9);
  axis.low = widened ? first * step : low;
  axis.high = widened ? last * step : high;
  const int count = static_cast<int>(std::min(last - first, kMaxTicks - 1.0)) + 1;
  for (int i = 0; i < count; ++i) axis.ticks.push_back((first + i) * step + 0.0);  // + 0.0: no "-0"
  return axis;
}

Axis log_axis(double low, double high) {
  Axis axis;
  axis.log = true;
  axis.low = round_down(low);
  axis.high = round_up(high);
  if (!(axis.high > axis.low)) axis.high = round_up(axis.low * 1.5);
  const int decades = static_cast<int>(std::ceil(std::log10(axis.high / axis.low) - 1e-9));
  const int stride = (decades + kMaxTicks - 1) / kMaxTicks;
  const int first = static_cast<int>(std::floor(std::log10(axis.low) + 1e-9));
  for (int decade = first; std::pow(10, decade) <= axis.high * (1 + 1e-9); decade += std::max(stride, 1)) {
    for (const double mantissa : kMantissas) {
      const double tick = mantissa * std::pow(10, decade);
      const bool wanted = mantissa == 1 || decades <= kDecadesWithInnerTicks;
      const bool inside = tick >= axis.low * (1 - 1e-9) && tick <= axis.high * (1 + 1e-9);
      if (wanted && inside) axis.ticks.push_back(tick);
    }
  }
  return axis;
}

Axis nines_axis(double high) {
  Axis axis;
  axis.nines = true;
  axis.high = std::max(1.0, std::ceil(high - 1e-9));
  for (double tick = 0; tick <= axis.high; ++tick) axis.ticks.push_back(tick);
  return axis;
}

}  // namespace pitwall
