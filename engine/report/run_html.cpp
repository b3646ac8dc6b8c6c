// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/report/html_parts.h"
#include "engine/report/report.h"
#include "engine/report/report_charts.h"
#include "engine/report/report_content.h"

namespace pitwall {
namespace {

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

std::string body_html(const Run& run, const ReportContent& content) {
  std::string html = header_html(content) + figures_html(content.figures);
  if (!run.note.empty()) html += html_section("Note", "", "<p>" + html_text(run.note) + "</p>\n");
  html += html_section("Latency", "How long do requests wait?", table_html(content.latency));
  html += charts_html(run);
  html += html_section("Memory", "Who owns it?", memory_html(content, run.summary.ledger));
  html += "<div class=\"columns\">\n" +
          html_section("Changed settings", "What differs from the default?", settings_html(content)) +
          html_section("Environment", "", table_html(content.environment), "dense") +
          html_section("Requests and tokens", "", table_html(content.outcome), "dense") +
          html_section("Memory by category", "", table_html(content.memory), "dense") + "</div>\n";
  html += html_section("Settings at their default", "", default_settings_html(content.default_settings));
  html += html_section("Not tested, not known", "", list_html(content.not_known));
  html += html_section("Requests", "Which ones had it worst?", table_html(content.requests), "dense");
  return html;
}

}  // namespace

std::string run_html(const Run& run) {
  const ReportContent content = report_content(run);
  return html_document(content.title, body_html(run, content),
                       "Pitwall " + run.header.engine_version + " · the same run gives the same bytes");
}

}  // namespace pitwall
