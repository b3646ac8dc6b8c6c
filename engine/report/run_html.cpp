// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text_escape.h"
#include "engine/report/html_style.h"
#include "engine/report/report.h"
#include "engine/report/report_charts.h"
#include "engine/report/report_content.h"

namespace pitwall {
namespace {

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

/// Never colour alone.
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

std::string class_attribute(bool is_number, Tone tone) {
  std::string classes = is_number ? "number" : "";
  if (tone != Tone::plain) classes += (classes.empty() ? "" : " ") + std::string(tone_class(tone));
  return classes.empty() ? "" : " class=\"" + classes + "\"";
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

std::string section(const char* title, const char* question, const std::string& body,
                    const char* classes = "") {
  const std::string small = *question == '\0' ? "" : fmt::format("<small>{}</small>", html_text(question));
  const std::string attribute = *classes == '\0' ? "" : fmt::format(" class=\"{}\"", classes);
  return fmt::format("<section{}>\n<h2>{}{}</h2>\n{}</section>\n", attribute, html_text(title), small, body);
}

std::string header_html(const ReportContent& content) {
  std::string html = fmt::format(
      "<header>\n<h1>{}<span class=\"tag {}\">{}{}</span></h1>\n<p class=\"subtitle\">{}</p>\n<p "
      "class=\"verdict\">{}</p>\n",
      html_text(content.title), tone_class(content.status_tone), sign_of(content.status_tone),
      html_text(content.status), html_text(content.subtitle), html_text(content.verdict));
  if (!content.trouble.empty()) {
    html += fmt::format("<p class=\"trouble {}\">{}</p>\n", tone_class(content.status_tone),
                        html_text(content.trouble));
  }
  return html + "</header>\n";
}

std::string figures_html(const std::vector<Figure>& figures) {
  std::string html = "<dl class=\"figures\">\n";
  for (const Figure& figure : figures) {
    html += fmt::format(
        "<div><dt>{}</dt><dd class=\"value\">{} <small>{}</small></dd><dd class=\"detail\">{}</dd></div>\n",
        html_text(figure.label), html_text(figure.value), html_text(figure.unit), html_text(figure.detail));
  }
  return html + "</dl>\n";
}

bool has_data(const SvgChart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(), [](const SvgSeries& series) {
    return std::any_of(series.y.begin(), series.y.end(), [](double y) { return std::isfinite(y); });
  });
}

std::string charts_html(const Run& run) {
  std::string drawn, missing;
  for (const SvgChart& chart : run_charts(run)) {
    if (has_data(chart)) {
      drawn += "<figure>\n" + svg_chart(chart) + "</figure>\n";
    } else {
      missing += (missing.empty() ? "" : ", ") + chart.title;
    }
  }
  std::string html = drawn.empty() ? "" : "<div class=\"charts\">\n" + drawn + "</div>\n";
  if (!drawn.empty()) {
    html +=
        "<p class=\"note\">Each point of ITL, TTFT, TPOT and queue looks back over 10 s: p90 is drawn from "
        "20 "
        "values on, p99 from 100 on; max is always drawn. Throughput is of its own second.</p>\n";
  }
  if (!missing.empty()) html += "<p class=\"note\">No data to draw: " + html_text(missing) + ".</p>\n";
  return html;
}

std::string memory_html(const ReportContent& content, const LedgerSnapshot& ledger) {
  const std::string bar = memory_bar_svg(ledger);
  return bar.empty() ? note_html(content.memory) : bar;
}

/// Settings that nobody touched: dense, for looking one up.
std::string default_settings_html(const Table& table) {
  if (table.rows.empty()) return "<p class=\"note\">None.</p>\n";
  std::string html = "<div class=\"pairs\">\n";
  for (const auto& row : table.rows) {
    html += fmt::format("<div><span>{}</span><span class=\"muted\">{}</span></div>\n", html_text(row[0].text),
                        html_text(row[1].text));
  }
  return html + "</div>\n";
}

std::string settings_html(const ReportContent& content) {
  std::string html = content.live_changes.rows.empty() ? std::string() : table_html(content.live_changes);
  html += content.changed_settings.rows.empty() ? "<p class=\"note\">Every setting has its default.</p>\n"
                                                : table_html(content.changed_settings);
  if (!content.serve_command.empty()) {
    html += "<p class=\"note\">The same again:</p>\n<code>" + html_text(content.serve_command) + "</code>\n";
  }
  return html;
}

std::string list_html(const std::vector<std::string>& items) {
  std::string html = "<ul>\n";
  for (const std::string& item : items) html += "<li>" + html_text(item) + "</li>\n";
  return html + "</ul>\n";
}

std::string body_html(const Run& run, const ReportContent& content) {
  std::string html = header_html(content) + figures_html(content.figures);
  if (!run.note.empty()) html += section("Note", "", "<p>" + html_text(run.note) + "</p>\n");
  html += section("Latency", "How long do requests wait?", table_html(content.latency));
  html += charts_html(run);
  html += section("Memory", "Who owns it?", memory_html(content, run.summary.ledger));
  html += "<div class=\"columns\">\n" +
          section("Changed settings", "What differs from the default?", settings_html(content)) +
          section("Environment", "", table_html(content.environment), "dense") +
          section("Requests and tokens", "", table_html(content.outcome), "dense") +
          section("Memory by category", "", table_html(content.memory), "dense") + "</div>\n";
  html += section("Settings at their default", "", default_settings_html(content.default_settings));
  html += section("Not tested, not known", "", list_html(content.not_known));
  html += section("Requests", "Which ones had it worst?", table_html(content.requests), "dense");
  return html;
}

}  // namespace

std::string run_html(const Run& run) {
  const ReportContent content = report_content(run);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{} · Pitwall</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}"
      "<footer>Pitwall {} · the same run gives the same bytes</footer>\n</main>\n</body>\n</html>\n",
      html_text(content.title), kReportStyle, body_html(run, content), html_text(run.header.engine_version));
}

}  // namespace pitwall
