// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/template_literals.h"

#include <charconv>

#include "engine/text/utf8.h"

namespace pitwall::jinja {

namespace {

bool is_digit_of(char c, int base) {
  const char lower = static_cast<char>(c | 0x20);
  const int value = c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
  return value < base;
}

/// Length of digits with single underscores between them.
std::size_t digits_length(std::string_view text, int base) {
  std::size_t length = 0;
  while (length < text.size()) {
    const bool underscore = text[length] == '_' && length > 0;
    const std::size_t digit = length + (underscore ? 1 : 0);
    if (digit >= text.size() || !is_digit_of(text[digit], base)) break;
    length = digit + 1;
  }
  return length;
}

std::string without_underscores(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '_') out += c;
  }
  return out;
}

int base_of_prefix(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return 10;
  switch (text[1] | 0x20) {
    case 'x':
      return 16;
    case 'o':
      return 8;
    case 'b':
      return 2;
    default:
      return 10;
  }
}

NumberLiteral read_integer(std::string_view text) {
  int base = base_of_prefix(text);
  std::size_t prefix = base == 10 ? 0 : 2;
  if (prefix > 0 && text[2] == '_') ++prefix;
  NumberLiteral literal;
  literal.length = prefix + digits_length(text.substr(prefix), base);
  if (prefix > 0 && literal.length == prefix) {
    base = 10;
    prefix = 0;
    literal.length = 1;
  }
  const std::string digits = without_underscores(text.substr(prefix, literal.length - prefix));
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), literal.integer, base);
  literal.overflow = parsed.ec != std::errc();
  return literal;
}

/// Digits, then a fraction or an exponent or both; length 0 if it is no such number.
NumberLiteral read_real(std::string_view text) {
  std::size_t length = digits_length(text, 10);
  const auto part_at = [&](std::size_t at) {
    return at < text.size() ? digits_length(text.substr(at), 10) : 0;
  };
  bool real = false;
  if (length < text.size() && text[length] == '.' && part_at(length + 1) > 0) {
    length += 1 + part_at(length + 1);
    real = true;
  }
  if (length < text.size() && (text[length] | 0x20) == 'e') {
    const bool sign = length + 1 < text.size() && (text[length + 1] == '+' || text[length + 1] == '-');
    const std::size_t digits = length + (sign ? 2 : 1);
    if (part_at(digits) > 0) {
      length = digits + part_at(digits);
      real = true;
    }
  }
  if (!real) return {};
  NumberLiteral literal;
  literal.is_real = true;
  literal.length = length;
  const std::string digits = without_underscores(text.substr(0, length));
  literal.overflow =
      std::from_chars(digits.data(), digits.data() + digits.size(), literal.real).ec != std::errc();
  return literal;
}

/// The character of `count` hexadecimal digits (\x41, \u00e9, \U0001f600).
std::optional<char32_t> hexadecimal(std::string_view text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  std::uint32_t code = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + count, code, 16);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (parsed.ptr != text.data() + count || code > 0x10FFFF || surrogate) return std::nullopt;
  return code;
}

std::size_t hexadecimal_digits(char letter) {
  switch (letter) {
    case 'x':
      return 2;
    case 'u':
      return 4;
    case 'U':
      return 8;
    default:
      return 0;
  }
}

std::optional<char> simple_escape(char letter) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv";
  constexpr std::string_view kCharacters = "\\'\"\a\b\f\n\r\t\v";
  const std::size_t place = kLetters.find(letter);
  if (place == std::string_view::npos) return std::nullopt;
  return kCharacters[place];
}

}  // namespace

NumberLiteral read_number(std::string_view text, bool may_be_real) {
  if (may_be_real) {
    if (const NumberLiteral real = read_real(text); real.length > 0) return real;
  }
  return read_integer(text);
}

std::optional<std::string> unescape(std::string_view quoted) {
  std::string out;
  for (std::size_t at = 0; at < quoted.size();) {
    if (quoted[at] != '\\') {
      out += quoted[at++];
      continue;
    }
    if (++at == quoted.size()) return std::nullopt;
    const char letter = quoted[at++];
    if (const auto simple = simple_escape(letter)) {
      out += *simple;
    } else if (letter == '\n') {
      continue;
    } else if (const std::size_t digits = hexadecimal_digits(letter); digits > 0) {
      const auto code = hexadecimal(quoted.substr(at), digits);
      if (!code) return std::nullopt;
      append_utf8(out, *code);
      at += digits;
    } else if (is_digit_of(letter, 8)) {
      char32_t code = static_cast<char32_t>(letter - '0');
      for (int more = 0; more < 2 && at < quoted.size() && is_digit_of(quoted[at], 8); ++more) {
        code = code * 8 + static_cast<char32_t>(quoted[at++] - '0');
      }
      append_utf8(out, code);
    } else {
      out += '\\';
      out += letter;
    }
  }
  return out;
}

}  // namespace pitwall::jinja
