// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/report/cdf.h"
#include "engine/report/effect_words.h"
#include "engine/report/html_parts.h"
#include "engine/report/markdown_parts.h"
#include "engine/report/report_charts.h"
#include "engine/report/report_text.h"
#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

constexpr const char* kMethod =
    "Effect = difference to the first column, in % of it, with its 95 % interval: over repeats where both "
    "have "
    "the same ones, else over ten stretches of each run. An interval that spans zero is no change; without "
    "one "
    "nothing is claimed.";

std::string title_of(const RunComparison& comparison) {
  return fmt::format("Comparison of {}", count_of(std::ssize(comparison.columns), "measurement"));
}

std::string subtitle_of(const RunComparison& comparison) {
  std::string text;
  for (const ComparedColumn& column : comparison.columns) {
    const RunHeader& header = column.run().header;
    text += fmt::format("{}{}: {}", text.empty() ? "" : " · ", column.label(),
                        header.name.empty() ? header.model_name : header.name);
  }
  return text;
}

Table figures_table(const RunComparison& comparison) {
  Table table;
  table.columns = {{"Measure"}};
  for (std::size_t i = 0; i < comparison.columns.size(); ++i) {
    table.columns.push_back({comparison.columns[i].label(), true});
    if (i > 0) table.columns.push_back({"Effect, 95 %"});
  }
  for (const ComparedFigure& figure : comparison.figures) {
    std::vector<Cell> row{{figure_label(figure.name)}};
    for (std::size_t i = 0; i < figure.values.size(); ++i) {
      row.push_back({figure_text(figure.name, figure.values[i]), i > 0 ? Tone::strong : Tone::plain});
      if (i == 0) continue;
      const Effect& effect = figure.effects[i];
      const bool known = effect.reading != Reading::undefined;
      row.push_back({known ? fmt::format("{}{}: {}", sign_of(effect_tone(effect)), effect_label(effect),
                                         reading_label(effect.reading))
                           : kUndefined,
                     effect_tone(effect)});
    }
    table.rows.push_back(std::move(row));
  }
  table.note = kMethod;
  return table;
}

Table keys_table(const RunComparison& comparison, const char* head, const std::vector<ComparedKey>& keys) {
  Table table;
  table.columns = {{head}};
  for (const ComparedColumn& column : comparison.columns) table.columns.push_back({column.label()});
  for (const ComparedKey& key : keys) {
    std::vector<Cell> row{{key.name}};
    for (const std::string& value : key.values)
      row.push_back(
          {value.empty() ? kUndefined : value, value == key.values.front() ? Tone::plain : Tone::strong});
    table.rows.push_back(std::move(row));
  }
  return table;
}

struct Changed {
  Table settings, load, environment;
};
Changed changed_of(const RunComparison& comparison) {
  Changed changed{keys_table(comparison, "Setting", comparison.settings),
                  keys_table(comparison, "Load", comparison.load),
                  keys_table(comparison, "Environment", comparison.environment)};
  changed.settings.note =
      fmt::format("{}{} equal.", comparison.settings.empty() ? "No setting differs; " : "",
                  count_of(static_cast<std::int64_t>(comparison.equal_settings), "other setting"));
  if (comparison.load.empty()) changed.load.note = "The load is equal, but for its seed.";
  changed.environment.note = comparison.environment.empty()
                                 ? "The environment is equal: device, model, version, build."
                                 : "The environment differs too: an effect may be its doing.";
  return changed;
}

Table samples_table(const RunComparison& comparison) {
  Table table;
  table.columns = {{"Condition"}};
  for (const ComparedColumn& column : comparison.columns) table.columns.push_back({column.label()});
  const auto add = [&](const char* name, auto value) {
    std::vector<Cell> row{{name, Tone::muted}};
    for (const ComparedColumn& column : comparison.columns) {
      const std::string text = value(column);
      row.push_back({text.empty() ? kUndefined : text});
    }
    table.rows.push_back(std::move(row));
  };
  add("Model", [](const ComparedColumn& c) { return c.run().header.model_name; });
  add("Device", [](const ComparedColumn& c) { return c.run().header.device; });
  add("Kind", [](const ComparedColumn& c) { return c.run().header.kind; });
  add("Start", [](const ComparedColumn& c) { return format_utc(c.run().header.start_utc); });
  add("Requests ended", [](const ComparedColumn& c) {
    std::int64_t ended = 0;
    for (const Run* run : c.runs) ended += run->summary.totals.requests_finished;
    return format_count(ended);
  });
  return table;
}

/// The subject solid and the reference dashed in one hue; of more, each its own hue and dash.
SvgSeries look_of(std::size_t column, std::size_t columns) {
  constexpr const char* kItl = "#00707A";
  constexpr std::array kHues{"#00707A", "#7A3FB0", "#8C2F12", "#A87B00"};
  constexpr std::array kDashes{"", "7 3", "2 2", "9 3 2 3"};
  if (columns == 2) return {"", kItl, column == 0 ? "7 3" : "", {}, {}};
  return {
      "", kHues[column % kHues.size()], kDashes[(column + column / kHues.size()) % kDashes.size()], {}, {}};
}

std::vector<SvgChart> charts_of(const RunComparison& comparison) {
  return {comparison_cdf(comparison, "Longest ITL of a request", "How bad is the worst?",
                         &RequestRecord::max_itl_ms),
          comparison_cdf(comparison, "TTFT", "How long until the first token?", &RequestRecord::ttft_ms),
          comparison_cdf(comparison, "TPOT", "How fast does text flow?", &RequestRecord::tpot_ms),
          comparison_cdf(comparison, "E2E", "How long does a whole reply take?", &RequestRecord::e2e_ms)};
}

std::string memory_html(const RunComparison& comparison) {
  std::string html;
  for (const ComparedColumn& column : comparison.columns)
    if (const std::string bar = memory_bar_svg(column.run().summary.ledger); !bar.empty())
      html += "<p class=\"note\">" + html_text(column.label()) + "</p>\n" + bar;
  return html.empty() ? "<p class=\"note\">The ledgers were not recorded.</p>\n" : html;
}

Json keys_json(const std::vector<ComparedKey>& keys) {
  Json list = Json::array();
  for (const ComparedKey& key : keys) list.push_back({{"name", key.name}, {"values", key.values}});
  return list;
}

}  // namespace

std::vector<std::string> comparison_sentences(const RunComparison& comparison) {
  const auto named = [&](std::size_t column, Reading reading) {
    std::string text;
    for (const ComparedFigure& figure : comparison.figures)
      if (const Effect& effect = figure.effects[column]; effect.reading == reading)
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : "; ", figure_label(figure.name), effect_label(effect));
    return text;
  };
  std::vector<std::string> sentences;
  for (std::size_t i = 1; i < comparison.columns.size(); ++i) {
    const std::string better = named(i, Reading::better), worse = named(i, Reading::worse);
    std::string text =
        fmt::format("{} against {}. ", comparison.columns[i].label(), comparison.columns.front().label());
    if (!better.empty()) text += "Better: " + better + ". ";
    if (!worse.empty()) text += "Worse: " + worse + ". ";
    if (!has_interval(comparison, i))
      text += "No figure has an interval, so there is no verdict: repeat the runs, or let them last longer. ";
    else if (better.empty() && worse.empty())
      text += "No figure is better or worse beyond its interval. ";
    text.pop_back();
    sentences.push_back(text);
  }
  return sentences;
}

std::vector<std::string> comparison_gaps(const RunComparison& comparison) {
  std::vector<std::string> list;
  std::string alone;
  for (const ComparedFigure& figure : comparison.figures)
    if (std::any_of(figure.effects.begin() + 1, figure.effects.end(),
                    [](const Effect& effect) { return effect.reading == Reading::one_pair; }))
      alone += (alone.empty() ? "" : "; ") + figure_label(figure.name);
  if (!alone.empty())
    list.push_back("Chance, for figures without an interval: " + alone + ". Repeat the runs");
  if (!comparison.environment.empty()) list.push_back("The settings alone: the environment differs too");
  if (comparison.settings.size() > 1) list.push_back("Each setting alone: several differ");
  list.push_back("Other loads than these: lengths, rates and bursts");
  list.push_back("What the replies are worth: quality is not part of a run");
  return list;
}

SvgChart comparison_cdf(const RunComparison& comparison, const char* title, const char* question,
                        double (RequestRecord::*measure)() const) {
  SvgChart chart{title, "% of requests", question, "ms, log", false, {}};
  chart.log_x = chart.nines_y = true;
  std::string n;
  for (std::size_t i = 0; i < comparison.columns.size(); ++i) {
    const ComparedColumn& column = comparison.columns[i];
    const Cdf cdf = cdf_of(values_of(column.run().requests, measure));
    SvgSeries series = look_of(i, comparison.columns.size());
    series.name = run_label(column.run().id);
    draw_cdf(cdf, series);
    chart.series.push_back(std::move(series));
    n += fmt::format("{}{}", n.empty() ? "" : ", ", format_count(cdf.samples()));
  }
  chart.x_label = "ms, log · n = " + n;
  return chart;
}

std::string comparison_html(const RunComparison& comparison) {
  const Changed changed = changed_of(comparison);
  std::string body = fmt::format("<header>\n<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n",
                                 html_text(title_of(comparison)), html_text(subtitle_of(comparison)));
  for (const std::string& sentence : comparison_sentences(comparison))
    body += "<p class=\"verdict\">" + html_text(sentence) + "</p>\n";
  body += "</header>\n";
  body += html_section("Before and after", "What did the change buy, what did it cost?",
                       table_html(figures_table(comparison)));
  std::string charts;
  for (const SvgChart& chart : charts_of(comparison))
    charts += "<figure>\n" + svg_chart(chart) + "</figure>\n";
  body += "<div class=\"charts\">\n" + charts + "</div>\n";
  body +=
      html_section("What changed", "only keys that differ",
                   table_html(changed.settings) + table_html(changed.load) + table_html(changed.environment));
  body += html_section("Memory", "Who owns it?", memory_html(comparison));
  body += html_section("Conditions", "", table_html(samples_table(comparison)), "dense");
  body += html_section("Not tested", "", list_html(comparison_gaps(comparison)));
  return html_document(title_of(comparison), body, "Pitwall · the same runs give the same bytes");
}

std::string comparison_markdown(const RunComparison& comparison) {
  const Changed changed = changed_of(comparison);
  std::string text =
      fmt::format("# {}\n\n{}\n\n", title_of(comparison), markdown_text(subtitle_of(comparison)));
  for (const std::string& sentence : comparison_sentences(comparison))
    text += markdown_text(sentence) + "\n\n";
  text += markdown_section("Before and after", markdown_table(figures_table(comparison)));
  text += markdown_section("What changed", markdown_table(changed.settings) + markdown_table(changed.load) +
                                               markdown_table(changed.environment));
  text += markdown_section("Conditions", markdown_table(samples_table(comparison)));
  std::string gaps;
  for (const std::string& gap : comparison_gaps(comparison)) gaps += "- " + markdown_text(gap) + "\n";
  return text + markdown_section("Not tested", gaps);
}

std::string comparison_json(const RunComparison& comparison) {
  Json document{{"format", "pitwall-comparison"}, {"version", 1}};
  document["columns"] = Json::array();
  for (const ComparedColumn& column : comparison.columns) {
    Json runs = Json::array();
    for (const Run* run : column.runs) runs.push_back(run->id.value);
    document["columns"].push_back({{"runs", runs}, {"name", column.run().header.name}});
  }
  document["figures"] = Json::array();
  for (const ComparedFigure& figure : comparison.figures) {
    Json one{{"name", figure.name}, {"values", figure.values}, {"effects", Json::array()}};
    for (std::size_t i = 1; i < figure.effects.size(); ++i) {
      const Effect& effect = figure.effects[i];
      one["effects"].push_back({{"difference", effect.difference.mean},
                                {"ci95_low", effect.difference.low},
                                {"ci95_high", effect.difference.high},
                                {"percent", effect.percent},
                                {"reading", reading_label(effect.reading)}});
    }
    document["figures"].push_back(std::move(one));
  }
  document["settings"] = keys_json(comparison.settings);
  document["equal_settings"] = comparison.equal_settings;
  document["load"] = keys_json(comparison.load);
  document["environment"] = keys_json(comparison.environment);
  document["not_tested"] = comparison_gaps(comparison);
  return dump_json(document, 2) + "\n";
}

}  // namespace pitwall
