// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/number_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "engine/base/text_escape.h"

namespace pitwall::ctl {

namespace {

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool positive_number(const std::string& text) {
  return number_of(text).value_or(0) > 0;
}

std::string check_above_zero(const std::string& text) {
  return positive_number(text)
             ? ""
             : fmt::format("{} is given; it must be a number above 0", quote_for_message(text));
}

std::string check_from_zero(const std::string& text) {
  return number_of(text).value_or(-1) >= 0
             ? ""
             : fmt::format("{} is given; it must be a number from 0 on", quote_for_message(text));
}

std::string check_request_rate(const std::string& text) {
  return positive_number(text) ? "" : "it must be requests per second above 0, or inf";
}

}  // namespace pitwall::ctl
