// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/checklist_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/bench/pareto.h"
#include "engine/report/checklist_import.h"
#include "engine/report/effect_words.h"
#include "engine/report/html_parts.h"
#include "engine/report/markdown_parts.h"
#include "engine/report/recommended_flags.h"
#include "engine/report/report_text.h"
#include "engine/report/run_document.h"
#include "engine/report/svg_chart.h"
#include "engine/report/svg_text.h"
#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

std::string changes_of(const Item& item) {
  std::string text;
  for (const ItemChange& change : item.changes)
    text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", change.setting, change.from, change.to);
  return text;
}

std::string effect_of(const Effect& effect) {
  const std::string text = effect_label(effect);
  if (effect.reading == Reading::one_pair) return text + ", one run";
  return effect.reading == Reading::no_change ? text + ": no change" : text;
}

std::string verdict_of(const Item& item, const ItemResult& result) {
  if (!item.error.empty()) return "failed";
  if (is_outdated(item, result)) return "to measure again";
  if (item.verdict == ItemVerdict::planned && result.pairs > 0) return "to decide";
  return std::string(word_of(item.verdict)) + (item.by_user ? ", by the user" : "");
}

Table items_table(const Checklist& checklist, const std::vector<ItemResult>& results) {
  Table table;
  table.columns = {{"", true},       {"Item"},        {"Change"},       {"Measure"},
                   {"Before", true}, {"After", true}, {"Effect, 95 %"}, {"Verdict"}};
  for (std::size_t i = 0; i < checklist.items.size(); ++i) {
    const Item& item = checklist.items[i];
    const std::string& measure = measure_of(checklist, item);
    const auto found = results[i].effects.find(measure);
    const Effect effect = found == results[i].effects.end() ? Effect{} : found->second;
    const bool known = effect.reading != Reading::undefined;
    table.rows.push_back({{std::to_string(i + 1)},
                          {item.name, Tone::strong},
                          {changes_of(item) + (item.mixed() ? " (mixed)" : "")},
                          {figure_label(measure)},
                          {known ? ms_text(effect.before) : kUndefined},
                          {known ? ms_text(effect.after) : kUndefined, Tone::strong},
                          {effect_of(effect), effect_tone(effect)},
                          {verdict_of(item, results[i])}});
    if (!item.error.empty()) table.rows.back().back().tone = Tone::bad;
  }
  table.note =
      "Each item is measured against what was kept before it, paired by repeat: repeat k has the same "
      "requests before and after. An "
      "interval that spans zero is no change.";
  return table;
}

Table figures_table(const ItemResult& result) {
  Table table;
  table.columns = {{"Figure"}, {"Before", true}, {"After", true}, {"Effect, 95 %"}};
  for (const auto& [name, effect] : result.effects) {
    if (effect.reading == Reading::undefined) continue;
    table.rows.push_back({{figure_label(name)},
                          {ms_text(effect.before)},
                          {ms_text(effect.after), Tone::strong},
                          {effect_of(effect), effect_tone(effect)}});
  }
  return table;
}

Table conditions_table(const Checklist& checklist) {
  Table table;
  table.columns = {{"Condition"}, {"Value"}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({{name, Tone::muted}, {value}});
  };
  add("Measured on", std::string(word_of(checklist.target)));
  add("Model", checklist.model);
  add("GPUs", checklist.gpus);
  add("Step times of", checklist.engine);
  add("Workload", checklist.workload);
  add("Requests", checklist.num_prompts > 0 ? std::to_string(checklist.num_prompts) : "the workload's own");
  add("At once", checklist.max_concurrency == 0  ? "no limit"
                 : checklist.max_concurrency < 0 ? "as many as max-num-seqs"
                                                 : std::to_string(checklist.max_concurrency));
  add("Repeats", std::to_string(checklist.repeats));
  add("Seed", std::to_string(checklist.seed));
  add("Base", checklist.target == TuneTarget::running_engine
                  ? checklist.settings + ", items at their defaults, the rest as the engine had it"
                  : checklist.settings);
  add("Measure", figure_label(checklist.measure));
  add("Limits", checklist.limits);
  add("Source", checklist.source);
  if (checklist.imported_utc > 0) add("Imported", format_utc(checklist.imported_utc));
  return table;
}

std::string headline(const Checklist& checklist, const std::vector<ItemResult>& results) {
  const auto kept = std::count_if(checklist.items.begin(), checklist.items.end(),
                                  [](const Item& item) { return item.verdict == ItemVerdict::keep; });
  std::string text = fmt::format("{} of {} items kept", kept, checklist.items.size());
  const TunePoint *first = nullptr, *last = nullptr;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (first == nullptr && !results[i].before.runs.empty()) first = &results[i].before;
    if (checklist.items[i].verdict == ItemVerdict::keep && !results[i].after.runs.empty())
      last = &results[i].after;
  }
  if (first == nullptr || last == nullptr) return text + ".";
  const auto value = [&](const TunePoint& point) {
    const auto found = point.figures.find(checklist.measure);
    return found == point.figures.end() ? std::nan("") : found->second.mean;
  };
  return text + fmt::format("; {} {} → {}{}.", checklist.measure, ms_text(value(*first)),
                            ms_text(value(*last)),
                            checklist.target == TuneTarget::simulator ? ", simulated" : "");
}

std::vector<std::string> not_tested(const Checklist& checklist, const std::vector<ItemResult>& results) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].pairs == 0)
      list.push_back("Item " + std::to_string(i + 1) + ", " + checklist.items[i].name);
  list.push_back("What the replies are worth: no item measures quality");
  if (checklist.target == TuneTarget::simulator) list.push_back("A real device: step times are computed");
  return list;
}

std::string scatter_svg(const Checklist& checklist, const std::vector<ItemResult>& results) {
  SvgChart chart;
  chart.title = "Throughput against latency", chart.unit = "tok/s";
  chart.question = "Did each item pay, and where did it cost?";
  chart.x_label = checklist.latency;
  chart.width = 960, chart.height = 320;
  std::vector<TradeOff> trades;
  const auto add = [&](const TunePoint& point, const std::string& name) {
    const auto x = point.figures.find(checklist.latency), y = point.figures.find("output_throughput");
    if (x == point.figures.end() || y == point.figures.end()) return;
    trades.push_back({x->second.mean, y->second.mean});
    chart.series.push_back(
        {name, trades.size() == 1 ? colour::kText : colour::kFrame, "", {x->second.mean}, {y->second.mean}});
  };
  if (!results.empty()) add(results.front().before, "0 baseline");
  for (std::size_t i = 0; i < results.size(); ++i)
    add(results[i].after, std::to_string(i + 1) + " " + checklist.items[i].name);
  if (trades.empty()) return {};
  SvgSeries front{"Pareto front", colour::kMuted, "6 3", {}, {}};
  for (const std::size_t i : pareto_front(trades)) {
    front.x.push_back(trades[i].cost);
    front.y.push_back(trades[i].gain);
  }
  chart.series.push_back(std::move(front));
  return svg_chart(chart);
}

constexpr std::string_view kNothingMeasured = "Nothing is measured yet.";

struct Recommended {
  std::string name, title;
  std::string text, notes;  ///< without a text the notes say why
};
/// In every form; none before anything is judged.
std::vector<Recommended> recommended_of(const Checklist& checklist, const std::vector<ItemResult>& results) {
  std::vector<Recommended> all;
  if (!is_any_judged(checklist, results)) return all;
  for (const FlagsForm& form : flags_forms()) {
    const auto flags = recommended_flags(checklist, results, form.name);
    std::string notes;
    if (flags)
      for (const std::string& note : flags->notes) notes.append(notes.empty() ? "" : "; ").append(note);
    all.push_back({form.name, form.title, flags ? flags->text : "", flags ? notes : flags.error().text()});
  }
  return all;
}

/// What stands apart from the flags, or why there are none; empty where nothing does.
std::string recommended_note(const Checklist& checklist, const std::vector<ItemResult>& results) {
  if (!is_any_judged(checklist, results)) return std::string(kNothingMeasured);
  std::string names;
  for (const std::string& name : kept_but_outdated(checklist, results))
    names.append(names.empty() ? "" : ", ").append(name);
  return names.empty() ? names : "Kept before, left out until it is measured again: " + names;
}

}  // namespace

std::string checklist_html(const Checklist& checklist, const std::vector<ItemResult>& results) {
  std::string body = fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n<p class=\"verdict\">{}</p>\n</header>\n",
      html_text(checklist.name), html_text(checklist.goal), html_text(headline(checklist, results)));
  if (!checklist.note.empty()) body += html_section("Note", "", "<p>" + html_text(checklist.note) + "</p>\n");
  body += html_section("Items", "Which change pays?", table_html(items_table(checklist, results)));
  if (const std::string chart = scatter_svg(checklist, results); !chart.empty())
    body += "<div class=\"charts\">\n<figure>\n" + chart + "</figure>\n</div>\n";
  std::string flags;
  if (const std::string note = recommended_note(checklist, results); !note.empty())
    flags += "<p class=\"note\">" + html_text(note) + "</p>\n";
  for (const Recommended& one : recommended_of(checklist, results)) {
    flags += "<p class=\"note\">" + html_text(one.title) + "</p>\n";
    if (!one.text.empty()) flags += "<code>" + html_text(one.text) + "</code>\n";
    if (!one.notes.empty()) flags += "<p class=\"note\">" + html_text(one.notes) + "</p>\n";
  }
  body += html_section("Recommended settings", "What to start with?", flags);
  body += html_section("Conditions", "", table_html(conditions_table(checklist)), "dense");
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].pairs > 0) {
      const std::string title = fmt::format("Item {}: {}", i + 1, checklist.items[i].name);
      body += html_section(title.c_str(), checklist.items[i].hypothesis.c_str(),
                           table_html(figures_table(results[i])), "dense");
    }
  body += html_section("Not tested", "", list_html(not_tested(checklist, results)));
  return html_document(checklist.name, body, "Pitwall · the same checklist gives the same bytes");
}

std::string checklist_markdown(const Checklist& checklist, const std::vector<ItemResult>& results) {
  std::string text = fmt::format("# {}\n\n{}\n\n{}\n\n", markdown_text(checklist.name),
                                 markdown_text(checklist.goal), markdown_text(headline(checklist, results)));
  if (!checklist.note.empty()) text += markdown_text(checklist.note) + "\n\n";
  text += markdown_section("Items", markdown_table(items_table(checklist, results)));
  std::string flags;
  if (const std::string note = recommended_note(checklist, results); !note.empty())
    flags += markdown_text(note) + "\n\n";
  for (const Recommended& one : recommended_of(checklist, results)) {
    flags += markdown_text(one.title) + ":\n\n";
    if (!one.text.empty()) flags += "```\n" + one.text + "\n```\n\n";
    if (!one.notes.empty()) flags += markdown_text(one.notes) + "\n\n";
  }
  text += markdown_section("Recommended settings", flags);
  text += markdown_section("Conditions", markdown_table(conditions_table(checklist)));
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].pairs > 0)
      text +=
          markdown_section(fmt::format("Item {}: {}", i + 1, markdown_text(checklist.items[i].name)).c_str(),
                           markdown_table(figures_table(results[i])));
  std::string missing;
  for (const std::string& one : not_tested(checklist, results)) missing += "- " + markdown_text(one) + "\n";
  return text + markdown_section("Not tested", missing);
}

std::string checklist_json(const Checklist& checklist, const std::vector<ItemResult>& results,
                           const std::vector<Run>& runs) {
  Json document = {{"format", kChecklistFormat}, {"version", kChecklistFormatVersion}};
  document.update(to_json_value(checklist));
  document["results"] = Json::array();
  for (const ItemResult& result : results) {
    Json one = {{"before_runs", result.before.runs},
                {"after_runs", result.after.runs},
                {"pairs", result.pairs},
                {"effects", Json::object()}};
    for (const auto& [name, effect] : result.effects)
      one["effects"][name] = {{"before", effect.before},
                              {"after", effect.after},
                              {"difference", effect.difference.mean},
                              {"ci95_low", effect.difference.low},
                              {"ci95_high", effect.difference.high},
                              {"percent", effect.percent}};
    document["results"].push_back(std::move(one));
  }
  document["recommended"] = Json::object();
  document["recommended_notes"] = Json::object();  // what the words leave out, or cannot have
  for (const Recommended& one : recommended_of(checklist, results)) {
    if (!one.text.empty()) document["recommended"][one.name] = one.text;
    if (!one.notes.empty()) document["recommended_notes"][one.name] = one.notes;
  }
  document["to_measure_again"] = kept_but_outdated(checklist, results);
  document["runs"] = Json::array();
  for (const Run& run : runs) document["runs"].push_back(run_document(run));
  return dump_json(document, 2) + "\n";
}

}  // namespace pitwall
