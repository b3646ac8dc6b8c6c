// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_clock.h"

#include <clocale>
#include <ctime>

#include "engine/text/template_budget.h"

namespace pitwall::jinja {

namespace {

constexpr std::size_t kLongestDate = 4096;

std::tm broken_down(std::optional<Nanos> now_utc) {
  std::tm parts{};
  if (now_utc) {
    const auto seconds = static_cast<std::time_t>(*now_utc / kNanosPerSecond);
    gmtime_r(&seconds, &parts);
  } else {
    const std::time_t seconds = std::time(nullptr);
    localtime_r(&seconds, &parts);
  }
  return parts;
}

}  // namespace

std::string format_time(const std::string& format, std::optional<Nanos> now_utc) {
  static const locale_t kEnglish = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::tm parts = broken_down(now_utc);
  // The leading space tells an empty date from one that did not fit.
  const std::string padded = " " + format;
  std::string out(kLongestDate, '\0');
  const std::size_t length = strftime_l(out.data(), out.size(), padded.c_str(), &parts, kEnglish);
  if (length == 0) fail("strftime_now(): the date is longer than 4096 characters");
  return out.substr(1, length - 1);
}

}  // namespace pitwall::jinja
