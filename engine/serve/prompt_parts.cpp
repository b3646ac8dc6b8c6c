// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/prompt_parts.h"

#include <string>

namespace pitwall {

namespace {

struct Mark {
  std::size_t byte;
  std::string name;
};

std::vector<Mark> marks_in(std::string_view rendered, const std::vector<MessageText>& messages) {
  std::vector<Mark> marks = {{0, "template"}};
  std::size_t from = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    // Templates trim contents; the middle of a trimmed text is still there.
    const std::string_view content = messages[i].content;
    const std::size_t first = content.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) continue;
    const std::string_view trimmed = content.substr(first, content.find_last_not_of(" \t\r\n") - first + 1);
    const std::size_t at = rendered.find(trimmed, from);
    if (at == std::string_view::npos) continue;
    const std::string place = "messages[" + std::to_string(i) + "]";
    marks.push_back({at, place + " (" + std::string(messages[i].role) + ")"});
    marks.push_back({from = at + trimmed.size(), "template after " + place});
  }
  return marks;
}

}  // namespace

std::vector<PromptPart> name_parts(std::string_view rendered, const std::vector<MessageText>& messages,
                                   const std::vector<TokenId>& tokens, const Tokenizer& tokenizer) {
  const std::vector<Mark> marks = marks_in(rendered, messages);
  std::vector<PromptPart> parts;
  std::size_t byte = 0, mark = 0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const std::size_t end = byte + tokenizer.bytes_of(tokens[t]).size();
    // A token that holds the border belongs to the part that begins in it.
    for (; mark < marks.size() && (marks[mark].byte < end || marks[mark].byte <= byte); ++mark) {
      const PromptPart part{static_cast<std::int32_t>(t), marks[mark].name};
      if (!parts.empty() && parts.back().first_token == part.first_token) {
        parts.back() = part;
      } else {
        parts.push_back(part);
      }
    }
    byte = end;
  }
  return parts;
}

}  // namespace pitwall
