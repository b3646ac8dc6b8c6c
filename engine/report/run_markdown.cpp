// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "engine/report/markdown_parts.h"
#include "engine/report/report.h"
#include "engine/report/report_content.h"

namespace pitwall {
namespace {

std::string figures_text(const std::vector<Figure>& figures) {
  Table table;
  table.columns = {{"Figure"}, {"Value", true}, {"Detail"}};
  for (const Figure& figure : figures) {
    const std::string value = figure.unit.empty() ? figure.value : figure.value + " " + figure.unit;
    table.rows.push_back({{figure.label}, {value, Tone::strong}, {figure.detail}});
  }
  return markdown_table(table);
}

std::string settings_text(const ReportContent& content) {
  std::string text = content.live_changes.rows.empty() ? std::string() : markdown_table(content.live_changes);
  text += content.changed_settings.rows.empty() ? "Every setting has its default.\n\n"
                                                : markdown_table(content.changed_settings);
  if (!content.serve_command.empty()) text += "The same again:\n\n    " + content.serve_command + "\n\n";
  return text;
}

}  // namespace

std::string run_markdown(const Run& run) {
  ReportContent content = report_content(run);
  content.latency.note.replace(content.latency.note.find("in grey"), std::string_view("in grey").size(),
                               "in brackets");
  std::string text = fmt::format("# {}\n\n{} · {}\n\n{}\n\n", markdown_text(content.title), content.status,
                                 markdown_text(content.subtitle), markdown_text(content.verdict));
  if (!content.trouble.empty()) text += "> " + markdown_text(content.trouble) + "\n\n";
  if (!run.note.empty()) text += markdown_text(run.note) + "\n\n";
  text += figures_text(content.figures);
  text += markdown_section("Latency", markdown_table(content.latency));
  text += markdown_section("Memory", markdown_table(content.memory));
  text += markdown_section("Requests and tokens", markdown_table(content.outcome));
  text += markdown_section("Changed settings", settings_text(content));
  text += markdown_section("Environment", markdown_table(content.environment));
  text += markdown_section("Settings at their default", markdown_table(content.default_settings));
  std::string unknown;
  for (const std::string& item : content.not_known) unknown += "- " + markdown_text(item) + "\n";
  text += markdown_section("Not tested, not known", unknown + "\n");
  text += markdown_section("Requests", markdown_table(content.requests));
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace pitwall
