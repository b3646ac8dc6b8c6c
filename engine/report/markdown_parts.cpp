// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/markdown_parts.h"

#include <fmt/format.h>

#include "engine/base/text_escape.h"

namespace pitwall {

std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : replace_invalid_utf8(text)) {
    if (std::string_view("\\`*_[]<>|#~").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

namespace {

std::string cell_text(const Cell& cell) {
  const std::string text = markdown_text(cell.text);
  if (text.empty()) return text;
  switch (cell.tone) {
    case Tone::strong:
      return "**" + text + "**";
    case Tone::muted:
      return "(" + text + ")";
    default:
      return text;
  }
}

std::string note_text(const Table& table) {
  return table.note.empty() ? "" : markdown_text(table.note) + "\n\n";
}

}  // namespace

std::string markdown_table(const Table& table) {
  if (table.rows.empty()) return note_text(table);
  std::string head = "|", rule = "|";
  for (const Column& column : table.columns) {
    head += " " + markdown_text(column.head) + " |";
    rule += column.is_number ? "---:|" : "---|";
  }
  std::string text = head + "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const Cell& cell : row) text += " " + cell_text(cell) + " |";
    text += "\n";
  }
  return text + "\n" + note_text(table);
}

std::string markdown_section(const char* title, const std::string& body) {
  return fmt::format("## {}\n\n{}", title, body);
}

}  // namespace pitwall
