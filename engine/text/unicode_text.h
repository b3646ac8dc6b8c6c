// SPDX-License-Identifier: GPL-3.0-or-later
// Classes and case of Unicode characters in valid UTF-8, close to what Python's str does.
#pragma once
#include <string>
#include <string_view>

namespace pitwall {

/// White_Space and the information separators U+001C to U+001F: what Python's strip() takes away.
bool is_unicode_space(char32_t code);
std::string_view trim_left(std::string_view text);
std::string_view trim_right(std::string_view text);

enum class CharacterClass {
  letter,
  decimal,  ///< digits of positional systems
  number,   ///< and fractions, Roman numerals …
  alphanumeric,
  upper,
  lower,        ///< and title case, which is no upper case
  unprintable,  ///< controls, unassigned and separators other than the space
  word,         ///< letters, marks, numbers and connectors such as the underscore
};
bool any_of_class(std::string_view text, CharacterClass wanted);
/// False for an empty text.
bool all_of_class(std::string_view text, CharacterClass wanted);
bool starts_with_word_character(std::string_view text);
bool ends_with_word_character(std::string_view text);

/// One-to-one case mapping of every character ("ß" stays as it is).
std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);

}  // namespace pitwall
