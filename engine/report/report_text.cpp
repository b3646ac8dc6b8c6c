// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/report_text.h"

#include <fmt/format.h>

#include <cmath>

namespace pitwall {
namespace {

std::string three_digits(double value) {
  const double size = std::fabs(value);
  if (size >= 99.95) return format_count(std::llround(value));
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  if (size >= 0.9995 || size == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

}  // namespace

std::string ms_text(double ms) {
  return std::isfinite(ms) ? minus_text(three_digits(ms)) : kUndefined;
}

std::string rate_text(double per_second) {
  if (!std::isfinite(per_second)) return kUndefined;
  if (per_second >= 999.5) return format_count(std::llround(per_second / 10) * 10);
  return three_digits(per_second);
}

std::string size_text(Bytes bytes) {
  return bytes == 0 ? "0" : minus_text(format_bytes(bytes));
}

std::string share_text(Bytes part, Bytes whole) {
  if (whole <= 0) return kUndefined;
  return minus_text(fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole)));
}

std::string span_text(Nanos duration) {
  constexpr Nanos kMinute = 60 * kNanosPerSecond, kHour = 60 * kMinute;
  if (duration < kMinute) return format_duration(duration);
  if (duration < kHour)
    return fmt::format("{} min {:02} s", duration / kMinute, duration % kMinute / kNanosPerSecond);
  return fmt::format("{} h {:02} min", duration / kHour, duration % kHour / kMinute);
}

std::string minus_text(std::string number) {
  if (number.starts_with('-')) number.replace(0, 1, "−");
  return number;
}

}  // namespace pitwall
