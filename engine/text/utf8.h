// SPDX-License-Identifier: GPL-3.0-or-later
// UTF-8 one character at a time, for streams and for text counted in code points.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pitwall {

struct Utf8Step {
  enum class Status {
    complete,    ///< `length` bytes are one character
    invalid,     ///< `length` bytes are a maximal part that can become no character
    incomplete,  ///< all bytes are the start of a character whose end has not come yet
  };
  std::size_t length = 0;
  Status status = Status::invalid;
  char32_t code = 0;  ///< of a complete character
};

/// The start of `text`, which must not be empty.
Utf8Step utf8_step(std::string_view text);

void append_utf8(std::string& out, char32_t code);

/// Code points of valid UTF-8.
std::size_t utf8_length(std::string_view text);
/// Byte offset of code point `index` of valid UTF-8; text.size() when it lies at or behind the end.
std::size_t utf8_offset(std::string_view text, std::size_t index);

/// The last code point of valid UTF-8 that is not empty.
std::string_view last_code_point(std::string_view text);

}  // namespace pitwall
