// SPDX-License-Identifier: GPL-3.0-or-later
// One field of a format string: sign, digits, padding.
#include <fmt/format.h>

#include <cmath>

#include "engine/text/template_formatting.h"
#include "engine/text/utf8.h"

namespace pitwall::jinja {

namespace {

constexpr int kLargestPrecision = 1000;

struct Digits {
  bool negative = false;
  std::string text;
};

Digits integer_digits(std::int64_t value, const FieldFormat& format) {
  const bool negative = value < 0;
  const auto magnitude =
      negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  const auto prefixed = [&](const char* prefix, std::string digits) {
    return Digits{negative, (format.alternate ? prefix : "") + digits};
  };
  switch (format.type) {
    case 'b':
      return prefixed("0b", fmt::format("{:b}", magnitude));
    case 'o':
      return prefixed("0o", fmt::format("{:o}", magnitude));
    case 'x':
      return prefixed("0x", fmt::format("{:x}", magnitude));
    case 'X':
      return prefixed("0X", fmt::format("{:X}", magnitude));
    default:
      return {negative, std::to_string(magnitude)};
  }
}

Digits real_digits(double value, const FieldFormat& format) {
  const double magnitude = std::fabs(value);
  const bool negative = std::signbit(value) && !std::isnan(value);
  if (format.type == 0 && format.precision < 0) return {negative, format_real(magnitude)};
  if (format.type == '%') {
    return {negative, format_real(magnitude * 100, 'f', format.precision < 0 ? 6 : format.precision) + "%"};
  }
  return {negative, format_real(magnitude, format.type == 0 || format.type == 'n' ? 'g' : format.type,
                                format.precision < 0 ? 6 : format.precision)};
}

/// `separator` between groups of three digits before the point.
void group_thousands(std::string& digits, char separator) {
  std::size_t whole = digits.find_first_not_of("0123456789");
  if (whole == std::string::npos) whole = digits.size();
  for (std::size_t at = whole; at > 3;) {
    at -= 3;
    digits.insert(at, 1, separator);
  }
}

Digits number_digits(const Value& value, const FieldFormat& format) {
  const bool integral = format.type == 'd' || format.type == 'b' || format.type == 'o' ||
                        format.type == 'x' || format.type == 'X' ||
                        ((format.type == 0 || format.type == 'n') && value.is_integral());
  if (!integral) return real_digits(value.real(), format);
  if (value.is_integral()) return integer_digits(value.integer(), format);
  const double whole = std::trunc(value.real());
  if (!(std::fabs(whole) < 9.2e18)) fail("a number is too large to be printed as an integer");
  return integer_digits(static_cast<std::int64_t>(whole), format);
}

std::string repeat_fill(const std::string& fill, std::size_t count) {
  std::string out;
  out.reserve(fill.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += fill;
  return out;
}

std::string pad(Context& context, const std::string& sign, std::string body, const FieldFormat& format,
                char default_align) {
  const auto length = static_cast<std::int64_t>(utf8_length(sign) + utf8_length(body));
  if (format.width <= length) return sign + body;
  const auto missing = static_cast<std::size_t>(format.width - length);
  context.budget().require(missing * format.fill.size() + body.size());
  context.budget().step_over(missing);
  switch (format.align != 0 ? format.align : default_align) {
    case '<':
      return sign + body + repeat_fill(format.fill, missing);
    case '^':
      return repeat_fill(format.fill, missing / 2) + sign + body +
             repeat_fill(format.fill, missing - missing / 2);
    case '=':
      return sign + repeat_fill(format.fill, missing) + body;
    default:
      return repeat_fill(format.fill, missing) + sign + body;
  }
}

std::string format_text(Context& context, std::string text, const FieldFormat& format) {
  if (format.precision >= 0) text.resize(utf8_offset(text, static_cast<std::size_t>(format.precision)));
  return pad(context, "", std::move(text), format, '<');
}

}  // namespace

std::string format_real(double value, char type, int precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  switch (type) {
    case 'e':
      return fmt::format("{:.{}e}", value, precision);
    case 'E':
      return fmt::format("{:.{}E}", value, precision);
    case 'g':
      return fmt::format("{:.{}g}", value, precision);
    case 'G':
      return fmt::format("{:.{}G}", value, precision);
    default:
      return fmt::format("{:.{}f}", value, precision);
  }
}

std::string format_field(Context& context, const Value& value, const FieldFormat& format) {
  if (format.precision > kLargestPrecision) fail("a precision above 1000 is not supported");
  if (format.type == 's') return format_text(context, to_text(context, value), format);
  if (format.type == 'r') return format_text(context, repr(context, value), format);
  if (format.type == 'a') return format_text(context, ascii_repr(context, value), format);
  if (format.type == 'c') {
    const bool character = value.is_text() && utf8_length(value.text()) == 1;
    if (!character && !value.is_integral()) fail("%c requires int or char");
    return format_text(context, character ? value.text() : character_of(value.integer()), format);
  }
  if (std::string_view("bdoxXeEfFgGn%").find(format.type) == std::string_view::npos && format.type != 0) {
    fail(fmt::format("unknown format code '{}' for a '{}' object", format.type, value.type_name()));
  }
  if (value.is_undefined()) fail(value.undefined_reason());
  if (!value.is_number()) {
    fail(fmt::format("format code '{}' needs a number, not '{}'", format.type, value.type_name()));
  }
  Digits digits = number_digits(value, format);
  if (format.grouping != 0) group_thousands(digits.text, format.grouping);
  std::string sign = digits.negative ? "-" : "";
  if (!digits.negative && format.sign != '-') sign = format.sign;
  return pad(context, sign, std::move(digits.text), format, '>');
}

}  // namespace pitwall::jinja
