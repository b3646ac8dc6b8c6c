// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/units.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

struct Unit {
  std::string_view name;
  Bytes bytes;
};
constexpr std::array<Unit, 4> kUnits{{{"GiB", kGiB}, {"MiB", kMiB}, {"KiB", kKiB}, {"B", 1}}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::size_t leading_digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  return count;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(a[i])) != std::tolower(static_cast<unsigned char>(b[i])))
      return false;
  }
  return true;
}

std::optional<Unit> find_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (equal_ignoring_case(unit.name, name)) return unit;
  }
  return std::nullopt;
}

Error size_error(std::string_view text, std::string cause,
                 std::string action = "Write a size such as 512MiB or 4GiB") {
  return {Error::Kind::invalid_input, fmt::format("{} is not a size", quote_for_message(text)),
          std::move(cause), std::move(action), ""};
}

Error unknown_unit(std::string_view text, std::string_view name) {
  const char first = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  const std::string rest(name.substr(1));
  if ((first == 'K' || first == 'M' || first == 'G') && (rest.empty() || equal_ignoring_case(rest, "b"))) {
    return size_error(text, fmt::format("{} may mean powers of 1000 or of 1024", quote_for_message(name)),
                      fmt::format("Write {}iB (powers of 1024) or the number of bytes", first));
  }
  return size_error(text, fmt::format("{} is not one of B, KiB, MiB, GiB", quote_for_message(name)));
}

/// "1234567" → "1,234,567"
std::string grouped(std::string digits) {
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string format_bytes(Bytes bytes) {
  const double value = static_cast<double>(bytes);
  const double size = std::fabs(value);
  if (size >= 0.1 * static_cast<double>(kGiB))
    return fmt::format("{:.2f} GiB", value / static_cast<double>(kGiB));
  if (size >= static_cast<double>(kMiB)) return fmt::format("{:.1f} MiB", value / static_cast<double>(kMiB));
  if (size >= static_cast<double>(kKiB)) return fmt::format("{:.1f} KiB", value / static_cast<double>(kKiB));
  return fmt::format("{} B", bytes);
}

Result<Bytes> parse_size(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (rest.empty()) return size_error(text, "It is empty");
  if (rest.front() == '-') return size_error(text, "A size cannot be negative");
  const std::size_t whole_digits = leading_digits(rest);
  if (whole_digits == 0) return size_error(text, "It does not begin with a number");
  const std::string_view whole_text = rest.substr(0, whole_digits);
  rest.remove_prefix(whole_digits);

  double fraction = 0;
  const bool has_fraction = !rest.empty() && rest.front() == '.';
  if (has_fraction) {
    const std::size_t digits = leading_digits(rest.substr(1));
    if (digits == 0) return size_error(text, "Digits are missing after the point");
    std::from_chars(rest.data(), rest.data() + 1 + digits, fraction);
    rest.remove_prefix(1 + digits);
  }

  const std::string_view unit_name = trimmed(rest);
  const std::optional<Unit> unit = unit_name.empty() ? Unit{"B", 1} : find_unit(unit_name);
  if (!unit) return unknown_unit(text, unit_name);
  if (has_fraction && unit->bytes == 1) return size_error(text, "A number of bytes has no fraction");

  constexpr Bytes kLargest = std::numeric_limits<Bytes>::max();
  Bytes whole = 0;
  const auto parsed = std::from_chars(whole_text.data(), whole_text.data() + whole_text.size(), whole);
  const Bytes extra = static_cast<Bytes>(fraction * static_cast<double>(unit->bytes));
  if (parsed.ec != std::errc{} || whole > (kLargest - extra) / unit->bytes) {
    return size_error(text,
                      fmt::format("It is above {} bytes, the largest size there is", format_count(kLargest)));
  }
  const Bytes bytes = whole * unit->bytes + extra;
  if (unit_name.empty() && bytes != 0 && bytes < kMiB) {
    return size_error(text, fmt::format("A bare number counts bytes, and {} bytes is below 1 MiB", bytes),
                      fmt::format("Name the unit: {0}MiB, {0}GiB, or {0}B if bytes are meant", bytes));
  }
  return bytes;
}

std::string exact_size(Bytes bytes) {
  if (bytes == 0) return "0";
  const auto* unit = kUnits.begin();
  while (bytes % unit->bytes != 0) ++unit;  // ends: 1 B divides everything
  return fmt::format("{} {}", bytes / unit->bytes, unit->name);
}

std::string format_duration(Nanos duration) {
  const std::string sign = duration < 0 ? "-" : "";
  const double ms = std::fabs(static_cast<double>(duration)) / static_cast<double>(kNanosPerMs);
  if (ms < 999.5) return sign + three_digits(ms) + " ms";
  return sign + three_digits(ms / 1000) + " s";
}

std::string format_count(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  std::string sign = count < 0 ? "-" : "";
  digits.erase(0, sign.size());
  return sign.append(grouped(std::move(digits)));
}

}  // namespace pitwall
