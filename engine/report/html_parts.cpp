// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/html_parts.h"

#include <fmt/format.h>

#include "engine/base/text_escape.h"
#include "engine/report/html_style.h"

namespace pitwall {

namespace {

std::string class_attribute(bool is_number, Tone tone) {
  std::string classes = is_number ? "number" : "";
  if (tone != Tone::plain) classes += (classes.empty() ? "" : " ") + std::string(tone_class(tone));
  return classes.empty() ? "" : " class=\"" + classes + "\"";
}

}  // namespace

std::string html_text(std::string_view text) {
  return escape_html(replace_invalid_utf8(text));
}

const char* tone_class(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::strong:
      return "strong";
    case Tone::muted:
      return "muted";
    case Tone::good:
      return "good";
    case Tone::warn:
      return "warn";
    case Tone::bad:
      return "bad";
  }
  return "";
}

const char* sign_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "✓ ";
    case Tone::warn:
      return "△ ";
    case Tone::bad:
      return "✕ ";
    default:
      return "";
  }
}

std::string note_html(const Table& table) {
  return table.note.empty() ? "" : "<p class=\"note\">" + html_text(table.note) + "</p>\n";
}

std::string table_html(const Table& table) {
  if (table.rows.empty()) return note_html(table);
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const Column& column : table.columns) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", class_attribute(column.is_number, Tone::plain),
                        html_text(column.head));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html += fmt::format("<td{}>{}</td>", class_attribute(table.columns[i].is_number, row[i].tone),
                          html_text(row[i].text));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n" + note_html(table);
}

std::string html_section(const char* title, const char* question, const std::string& body,
                         const char* classes) {
  const std::string small = *question == '\0' ? "" : fmt::format("<small>{}</small>", html_text(question));
  const std::string attribute = *classes == '\0' ? "" : fmt::format(" class=\"{}\"", classes);
  return fmt::format("<section{}>\n<h2>{}{}</h2>\n{}</section>\n", attribute, html_text(title), small, body);
}

std::string list_html(const std::vector<std::string>& items) {
  std::string html = "<ul>\n";
  for (const std::string& item : items) html += "<li>" + html_text(item) + "</li>\n";
  return html + "</ul>\n";
}

std::string html_document(const std::string& title, const std::string& body, const std::string& footer,
                          std::string_view style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{} · Pitwall</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}"
      "<footer>{}</footer>\n</main>\n</body>\n</html>\n",
      html_text(title), kReportStyle, style, body, html_text(footer));
}

}  // namespace pitwall
