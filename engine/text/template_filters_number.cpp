// SPDX-License-Identifier: GPL-3.0-or-later
// Filters that make numbers.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "engine/text/template_arguments.h"
#include "engine/text/template_filters.h"
#include "engine/text/template_formatting.h"
#include "engine/text/template_operators.h"
#include "engine/text/template_text.h"

namespace pitwall::jinja {

namespace {

/// The digits of a number without white space around and underscores between.
std::string plain_digits(std::string_view text) {
  std::string digits;
  for (const char c : strip_space(text, StripSide::both)) {
    if (c != '_') digits += c;
  }
  return digits;
}

std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t base) {
  std::string digits = plain_digits(text);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.erase(0, 1);
  if (digits.size() > 2 && digits[0] == '0') {
    const char letter = static_cast<char>(digits[1] | 0x20);
    const std::int64_t prefix = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (prefix != 0 && (base == 0 || base == prefix)) {
      digits.erase(0, 2);
      base = prefix;
    }
  }
  if (base == 0) {
    if (digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of('0') != std::string::npos)
      return std::nullopt;
    base = 10;
  }
  if (negative) digits.insert(digits.begin(), '-');
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value, static_cast<int>(base));
  if (parsed.ec == std::errc::result_out_of_range && parsed.ptr == end) {
    fail("an integer does not fit into 64 bits");
  }
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  std::string digits = plain_digits(text);
  if (digits.starts_with('+')) digits.erase(0, 1);
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  // strtod tells what is too large, which becomes infinite, from what is too small.
  if (parsed.ec == std::errc::result_out_of_range && parsed.ptr == end)
    return std::strtod(digits.c_str(), nullptr);
  if (parsed.ec != std::errc() || parsed.ptr != end || digits.empty()) return std::nullopt;
  return value;
}

std::optional<double> real_of(const Value& value) {
  if (value.is_undefined()) fail(value.undefined_reason());
  if (value.is_number()) return value.real();
  if (value.is_text()) return parse_real(value.text());
  return std::nullopt;
}

/// None for what is no number; fails where the whole number does not fit.
std::optional<std::int64_t> truncated(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  if (!(std::fabs(value) < 9.2e18)) fail("an integer does not fit into 64 bits");
  return static_cast<std::int64_t>(value);
}

Value to_integer(Context&, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("int", arguments, {"default", "base"});
  const Value otherwise = read.has(0) ? read[0] : Value::of(std::int64_t{0});
  const std::int64_t base = read.integer(1, 10);
  if (base != 0 && (base < 2 || base > 36) && input.is_text())
    fail(fmt::format("int() base must be >= 2 and <= 36, or 0, got {}", base));
  if (input.is_integral()) return Value::of(input.integer());
  if (input.is_text()) {
    if (const auto value = parse_integer(input.text(), base)) return Value::of(*value);
  }
  const auto real = real_of(input);
  const auto whole = real ? truncated(*real) : std::nullopt;
  return whole ? Value::of(*whole) : otherwise;
}

Value to_real(Context&, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("float", arguments, {"default"});
  const auto value = real_of(input);
  if (value) return Value::of(*value);
  return read.has(0) ? read[0] : Value::of(0.0);
}

Value absolute(Context&, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("abs", arguments, {});
  if (input.is_undefined()) fail(input.undefined_reason());
  if (!input.is_number()) fail(fmt::format("bad operand type for abs(): '{}'", input.type_name()));
  if (input.is_integral()) return input.integer() < 0 ? negative(input) : positive(input);
  return Value::of(std::fabs(input.real()));
}

/// Half to even on the exact binary value, as Python's round().
double round_common(double value, std::int64_t precision) {
  if (!std::isfinite(value) || precision > 300) return value;
  if (precision >= 0) {
    return parse_real(format_real(value, 'f', static_cast<int>(precision))).value_or(value);
  }
  const double unit = std::pow(10.0, -static_cast<double>(precision));
  return std::isfinite(unit) ? std::nearbyint(value / unit) * unit : 0.0;
}

Value round(Context&, const Value& input, const Arguments& arguments) {
  const ArgumentReader read("round", arguments, {"precision", "method"});
  if (input.is_undefined()) fail(input.undefined_reason());
  if (!input.is_number()) fail(fmt::format("round() needs a number, not '{}'", input.type_name()));
  const std::int64_t precision = read.integer(0, 0);
  const std::string_view method = read.text(1, "common");
  if (method == "common") {
    if (input.is_integral() && precision >= 0) return Value::of(input.integer());
    const double rounded = round_common(input.real(), precision);
    const auto whole = input.is_integral() ? truncated(rounded) : std::nullopt;
    return whole ? Value::of(*whole) : Value::of(rounded);
  }
  if (method != "ceil" && method != "floor") fail("method must be common, ceil or floor");
  const double unit = std::pow(10.0, static_cast<double>(precision));
  const double scaled = input.real() * unit;
  return Value::of((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit);
}

constexpr Filter kFilters[] = {{"int", to_integer}, {"float", to_real}, {"abs", absolute}, {"round", round}};

}  // namespace

FilterFunction find_number_filter(std::string_view name) {
  return find_in(kFilters, name);
}

}  // namespace pitwall::jinja
