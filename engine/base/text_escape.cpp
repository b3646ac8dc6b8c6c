// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/text_escape.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace pitwall {

namespace {

/// The next character, or the maximal bad part of one (then `valid` is false and `length` bytes are to be
/// replaced).
struct Decoded {
  std::size_t length = 0;
  bool valid = false;
  std::uint32_t code = 0;
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {1, true, lead};
  if (lead < 0xC2 || lead > 0xF4) return {1, false, 0};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t code = lead & (0x7Fu >> length);
  // The first continuation byte has a narrower range where the lead allows overlong forms, surrogates or >
  // U+10FFFF.
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size() || byte(i) < low || byte(i) > high) return {i, false, 0};
    code = code << 6 | (byte(i) & 0x3Fu);
    low = 0x80;
    high = 0xBF;
  }
  return {length, true, code};
}

/// Characters that a terminal or a label would act on instead of showing: controls, line and paragraph
/// separators, zero-width and direction marks.
bool is_invisible(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

std::string printable(const Decoded& character, std::string_view bytes) {
  if (!character.valid) return fmt::format("\\x{:02x}", static_cast<std::uint8_t>(bytes.front()));
  switch (character.code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    default:
      return is_invisible(character.code) ? fmt::format("\\u{:04x}", character.code) : std::string(bytes);
  }
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (!next.valid) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded next = decode(text);
    out += next.valid ? text.substr(0, next.length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(next.length);
  }
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string quote_for_message(std::string_view text, std::size_t limit) {
  std::string out = "\"";
  for (std::size_t shown = 0; !text.empty(); ++shown) {
    if (shown == limit) return out + "…\"";
    Decoded next = decode(text);
    if (!next.valid) next.length = 1;
    out += printable(next, text.substr(0, next.length));
    text.remove_prefix(next.length);
  }
  return out + "\"";
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const std::string_view digits = text[i] == '%' ? text.substr(i + 1, 2) : std::string_view();
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const bool whole = digits.size() == 2 && code == std::errc{} && end == digits.data() + 2;
    out += whole ? static_cast<char>(value) : text[i];
    if (whole) i += 2;
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) || std::string_view("-._~").find(c) != std::string_view::npos)) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

}  // namespace pitwall
