// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and strings as templates write them: Python's literals.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pitwall::jinja {

struct NumberLiteral {
  std::size_t length = 0;  ///< characters used
  bool is_real = false;
  bool overflow = false;
  std::int64_t integer = 0;
  double real = 0;
};
/// The number that `text`, which begins with a digit, begins with: 42, 1_000, 0x1F, 0o17, 0b1, 1.5, 2e10.
NumberLiteral read_number(std::string_view text, bool may_be_real);

/// The text between quotes with its escapes resolved; none if an escape is cut off or names no character.
std::optional<std::string> unescape(std::string_view quoted);

}  // namespace pitwall::jinja
