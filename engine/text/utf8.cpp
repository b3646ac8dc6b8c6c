// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/utf8.h"

#include <algorithm>

namespace pitwall {

namespace {

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

bool is_continuation(char c) {
  return (static_cast<std::uint8_t>(c) & 0xC0u) == 0x80u;
}

/// Lead bytes whose second byte has a narrower range: no overlong forms, no surrogates, nothing above
/// U+10FFFF.
struct SecondByte {
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
};
SecondByte second_byte(std::uint8_t lead) {
  switch (lead) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {};
  }
}

}  // namespace

Utf8Step utf8_step(std::string_view text) {
  using Status = Utf8Step::Status;
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {1, Status::complete, lead};
  if (lead < 0xC2 || lead > 0xF4) return {1, Status::invalid, 0};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  SecondByte range = second_byte(lead);
  char32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {i, Status::incomplete, 0};
    const std::uint8_t byte = byte_at(text, i);
    if (byte < range.low || byte > range.high) return {i, Status::invalid, 0};
    code = code << 6 | (byte & 0x3Fu);
    range = {};
  }
  return {length, Status::complete, code};
}

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(static_cast<std::uint8_t>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::size_t utf8_length(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

std::size_t utf8_offset(std::string_view text, std::size_t index) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (!is_continuation(text[offset])) {
      if (index == 0) break;
      --index;
    }
    ++offset;
  }
  return offset;
}

std::string_view last_code_point(std::string_view text) {
  std::size_t begin = text.size() - 1;
  while (begin > 0 && is_continuation(text[begin])) --begin;
  return text.substr(begin);
}

}  // namespace pitwall
