// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "engine/base/text_escape.h"
#include "engine/report/report.h"
#include "engine/report/report_content.h"

namespace pitwall {
namespace {

/// One line in which no character starts markup.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : replace_invalid_utf8(text)) {
    if (std::string_view("\\`*_[]<>|#~").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

std::string cell_text(const Cell& cell) {
  const std::string text = plain(cell.text);
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
  return table.note.empty() ? "" : plain(table.note) + "\n\n";
}

std::string table_text(const Table& table) {
  if (table.rows.empty()) return note_text(table);
  std::string head = "|", rule = "|";
  for (const Column& column : table.columns) {
    head += " " + plain(column.head) + " |";
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

std::string section(const char* title, const std::string& body) {
  return fmt::format("## {}\n\n{}", title, body);
}

std::string figures_text(const std::vector<Figure>& figures) {
  Table table;
  table.columns = {{"Figure"}, {"Value", true}, {"Detail"}};
  for (const Figure& figure : figures) {
    const std::string value = figure.unit.empty() ? figure.value : figure.value + " " + figure.unit;
    table.rows.push_back({{figure.label}, {value, Tone::strong}, {figure.detail}});
  }
  return table_text(table);
}

std::string settings_text(const ReportContent& content) {
  std::string text = content.live_changes.rows.empty() ? std::string() : table_text(content.live_changes);
  text += content.changed_settings.rows.empty() ? "Every setting has its default.\n\n"
                                                : table_text(content.changed_settings);
  if (!content.serve_command.empty()) text += "The same again:\n\n    " + content.serve_command + "\n\n";
  return text;
}

}  // namespace

std::string run_markdown(const Run& run) {
  ReportContent content = report_content(run);
  content.latency.note.replace(content.latency.note.find("in grey"), std::string_view("in grey").size(),
                               "in brackets");
  std::string text = fmt::format("# {}\n\n{} · {}\n\n{}\n\n", plain(content.title), content.status,
                                 plain(content.subtitle), plain(content.verdict));
  if (!content.trouble.empty()) text += "> " + plain(content.trouble) + "\n\n";
  if (!run.note.empty()) text += plain(run.note) + "\n\n";
  text += figures_text(content.figures);
  text += section("Latency", table_text(content.latency));
  text += section("Memory", table_text(content.memory));
  text += section("Requests and tokens", table_text(content.outcome));
  text += section("Changed settings", settings_text(content));
  text += section("Environment", table_text(content.environment));
  text += section("Settings at their default", table_text(content.default_settings));
  std::string unknown;
  for (const std::string& item : content.not_known) unknown += "- " + plain(item) + "\n";
  text += section("Not tested, not known", unknown + "\n");
  text += section("Requests", table_text(content.requests));
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace pitwall
