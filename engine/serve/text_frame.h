// SPDX-License-Identifier: GPL-3.0-or-later
// TextFrame: the server-sent event of a piece of text, of which all but the text is the same in each piece.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace pitwall {

class TextFrame {
 public:
  /// `chunk` makes the JSON document of a text; it is called once, and what it puts around the text is kept.
  explicit TextFrame(const std::function<std::string(const std::string& text)>& chunk);
  /// "data: …\n\n" with `text`, which is valid UTF-8, escaped as in JSON.
  void append(std::string& out, std::string_view text) const;

 private:
  std::string before_, after_;
};

/// As a JSON string holds it, without the quotes around it. Valid UTF-8 stays as it is.
void append_json_escaped(std::string& out, std::string_view text);

}  // namespace pitwall
