// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/text_frame.h"

#include <algorithm>
#include <cassert>

#include "engine/serve/random_id.h"

namespace pitwall {

TextFrame::TextFrame(const std::function<std::string(const std::string& text)>& chunk) {
  const std::string mark = random_hex();  // in no other field
  const std::string whole = chunk(mark);
  const std::size_t at = whole.find(mark);
  assert(at != std::string::npos);
  before_ = "data: " + whole.substr(0, at);
  after_ = whole.substr(at + mark.size()) + "\n\n";
}

void TextFrame::append(std::string& out, std::string_view text) const {
  out += before_;
  append_json_escaped(out, text);
  out += after_;
}

void append_json_escaped(std::string& out, std::string_view text) {
  const auto needs_escape = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  };
  constexpr std::string_view kHex = "0123456789abcdef";
  for (;;) {
    const auto next = std::find_if(text.begin(), text.end(), needs_escape);
    out.append(text.begin(), next);
    if (next == text.end()) return;
    const char c = *next;
    const std::string_view letters = "\b\f\n\r\t\"\\", words = "bfnrt\"\\";
    if (const std::size_t letter = letters.find(c); letter != std::string_view::npos) {
      out += {'\\', words[letter]};
    } else {
      out += {'\\', 'u', '0', '0', kHex[static_cast<unsigned char>(c) >> 4], kHex[c & 15]};
    }
    text = {next + 1, text.end()};
  }
}

}  // namespace pitwall
