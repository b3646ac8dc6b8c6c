// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "engine/bench/sweep.h"
#include "engine/report/report_content.h"
#include "engine/report/run_difference.h"
#include "engine/report/run_kind.h"

namespace pitwall {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kStretches = 10;
constexpr std::int64_t kNeededForP99 = 100;  // values

/// A percentile of a latency: where it stands in the summary, and how a stretch has it.
struct LatencyFigure {
  const char* name;
  const char* metric;
  double Summary::*value;
  double (RequestRecord::*of)() const;
  double quantile;
  std::int64_t needed;  // values, in the run and in each stretch
};
constexpr std::array<LatencyFigure, 7> kLatencies{{
    {"p50_ttft_ms", "ttft_ms", &Summary::p50, &RequestRecord::ttft_ms, 0.5, 1},
    {"p99_ttft_ms", "ttft_ms", &Summary::p99, &RequestRecord::ttft_ms, 0.99, kNeededForP99},
    {"p50_tpot_ms", "tpot_ms", &Summary::p50, &RequestRecord::tpot_ms, 0.5, 1},
    {"p99_tpot_ms", "tpot_ms", &Summary::p99, &RequestRecord::tpot_ms, 0.99, kNeededForP99},
    {"p50_queue_ms", "queue_ms", &Summary::p50, &RequestRecord::queue_ms, 0.5, 1},
    {"p50_e2el_ms", "e2e_ms", &Summary::p50, &RequestRecord::e2e_ms, 0.5, 1},
    {"p99_e2el_ms", "e2e_ms", &Summary::p99, &RequestRecord::e2e_ms, 0.99, kNeededForP99},
}};
constexpr std::int64_t kStretchNeeds = 20;  // values for a median

const std::string* entry_of(const Run& run, const char* name) {
  for (const ConfigEntry& entry : run.header.config)
    if (entry.name == name) return &entry.value;
  return nullptr;
}

struct Repeat {
  std::string measurement;  // empty: of none
  std::string number;
};
Repeat repeat_of(const Run& run) {
  for (const auto& [id, what, number] : {std::array{"checklist.id", "checklist.key", "checklist.repeat"},
                                         std::array{"sweep.id", "sweep.change", "sweep.repeat"}}) {
    const std::string *set = entry_of(run, id), *key = entry_of(run, what), *repeat = entry_of(run, number);
    if (set != nullptr && key != nullptr && repeat != nullptr)
      return {fmt::format("{} {} {}", id, *set, *key), *repeat};
  }
  return {};
}

std::vector<ComparedColumn> columns_of(std::span<const Run* const> runs) {
  std::vector<ComparedColumn> columns;
  std::map<std::string, std::size_t> known;
  for (const Run* run : runs) {
    const Repeat repeat = repeat_of(*run);
    // What did not end by itself is no repeat of what did: it stands apart.
    if (!repeat.measurement.empty() && run->summary.status == RunStatus::finished) {
      const auto [place, fresh] = known.try_emplace(repeat.measurement, columns.size());
      if (!fresh) {
        columns[place->second].runs.push_back(run);
        continue;
      }
    }
    columns.push_back({{run}});
  }
  return columns;
}

Objectives objectives_of(const Run& run) {
  Objectives objectives;
  const auto read = [&](const char* name, std::optional<double>& limit) {
    if (const std::string* text = entry_of(run, name)) limit = std::strtod(text->c_str(), nullptr);
  };
  read("load.goodput-ttft-ms", objectives.ttft);
  read("load.goodput-tpot-ms", objectives.tpot);
  read("load.goodput-e2el-ms", objectives.e2el);
  return objectives;
}

double good_percent(const Run& run) {
  const Objectives objectives = objectives_of(run);
  if (!objectives.any() || run.requests.empty()) return kNaN;
  const auto good =
      std::count_if(run.requests.begin(), run.requests.end(), [&](const RequestRecord& request) {
        return request.ended_well() &&
               objectives.met_by(request.ttft_ms(), request.tpot_ms(), request.e2e_ms(), false);
      });
  return 100 * static_cast<double>(good) / static_cast<double>(run.requests.size());
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : kNaN;
}

std::map<std::string, double> figures_of(const Run& run) {
  const EngineTotals& totals = run.summary.totals;
  std::map<std::string, double> figures;
  const double rate = run.summary.output_tokens_per_s;
  figures["output_throughput"] = rate > 0 ? rate : kNaN;
  for (const LatencyFigure& latency : kLatencies) {
    const Summary summary = metric_of(run.summary, latency.metric);
    figures[latency.name] = summary.n >= latency.needed ? summary.*latency.value : kNaN;
  }
  const Summary gaps = metric_of(run.summary, "itl_ms"), itl = metric_of(run.summary, "max_itl_ms");
  figures["p99_itl_ms"] = figures["p99_itl_chunk_ms"] = kNaN;
  figures[is_itl_by_chunk(run.header) ? "p99_itl_chunk_ms" : "p99_itl_ms"] =
      gaps.n >= kNeededForP99 ? gaps.p99 : kNaN;
  figures["max_itl_ms"] = itl.n > 0 ? itl.max : kNaN;
  figures["goodput_percent"] = good_percent(run);
  figures["prefix_hit_percent"] = percent(totals.prefix_hit_tokens, totals.prefix_query_tokens);
  Bytes peak = run.summary.ledger.kv_used;
  for (const SecondRecord& second : run.seconds) peak = std::max(peak, second.kv_used);
  figures["peak_kv_mib"] = peak > 0 ? static_cast<double>(peak) / static_cast<double>(kMiB) : kNaN;
  const bool ended = totals.requests_finished > 0;
  figures["preemptions"] = ended ? static_cast<double>(totals.preemptions) : kNaN;
  figures["failed_percent"] =
      percent(totals.requests_error + totals.requests_cancelled, totals.requests_finished);
  return figures;
}

constexpr std::array<const char*, 16> kOrder{
    "output_throughput", "p50_ttft_ms",    "p99_ttft_ms",        "p50_tpot_ms",
    "p99_tpot_ms",       "p99_itl_ms",     "p99_itl_chunk_ms",   "max_itl_ms",
    "p50_queue_ms",      "p50_e2el_ms",    "p99_e2el_ms",        "goodput_percent",
    "preemptions",       "failed_percent", "prefix_hit_percent", "peak_kv_mib"};

std::optional<bool> more_is_better(const std::string& figure) {
  if (figure == "goodput_percent" || figure == "prefix_hit_percent") return true;
  if (figure == "peak_kv_mib") return std::nullopt;
  const auto known = sweep_objectives().find(figure);
  return known != sweep_objectives().end() && known->second;
}

/// Means of equally many neighbours; none where there are fewer than `needed` for each.
template <class Value>
std::vector<double> stretch(const std::vector<double>& values, std::int64_t needed, Value value) {
  std::vector<double> parts;
  const std::size_t length = values.size() / kStretches;
  if (length < static_cast<std::size_t>(needed)) return parts;
  for (std::size_t i = 0; i < kStretches; ++i) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * length);
    parts.push_back(value(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(length))));
  }
  return parts;
}

std::vector<double> latency_stretches(const Run& run, const LatencyFigure& latency) {
  std::vector<std::pair<Nanos, double>> by_arrival;
  for (const RequestRecord& request : run.requests) {
    const double value = (request.*latency.of)();
    if (request.ended_well() && !std::isnan(value)) by_arrival.emplace_back(request.arrival, value);
  }
  std::stable_sort(by_arrival.begin(), by_arrival.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<double> values;
  for (const auto& [arrival, value] : by_arrival) values.push_back(value);
  return stretch(values, std::max(latency.needed, kStretchNeeds), [&](std::vector<double> part) {
    std::sort(part.begin(), part.end());
    return quantile_sorted(part, latency.quantile);
  });
}

/// Of the seconds in which tokens came, from the first to the last of them.
std::vector<double> throughput_stretches(const Run& run) {
  std::vector<double> values;
  for (const SecondRecord& second : run.seconds) values.push_back(second.output_tokens_per_s);
  const auto works = [](double value) { return value > 0; };
  while (!values.empty() && !works(values.back())) values.pop_back();
  values.erase(values.begin(), std::find_if(values.begin(), values.end(), works));
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) return {};
  return stretch(values, 1, [](const std::vector<double>& part) { return mean_interval(part).mean; });
}

std::vector<double> stretches_of(const Run& run, const std::string& figure) {
  if (figure == "output_throughput") return throughput_stretches(run);
  for (const LatencyFigure& latency : kLatencies)
    if (figure == latency.name) return latency_stretches(run, latency);
  return {};
}

bool is_maximum(const std::string& figure) {
  return figure == "max_itl_ms" || figure.starts_with("peak_");
}

/// A column as its effects are worked out from: each run's figures, by repeat.
struct Measured {
  std::map<std::string, std::map<std::string, double>> by_repeat;  // number → figures
  double mean(const std::string& figure) const {
    std::vector<double> values;
    for (const auto& [number, figures] : by_repeat) values.push_back(figures.at(figure));
    return mean_interval(values).mean;
  }
  /// What one run of them would say: the largest of maxima, else the mean.
  double of_all(const std::string& figure) const {
    if (!is_maximum(figure)) return mean(figure);
    double most = kNaN;
    for (const auto& [number, figures] : by_repeat) most = std::fmax(most, figures.at(figure));
    return most;
  }
};

Measured measure(const ComparedColumn& column) {
  Measured measured;
  for (const Run* run : column.runs) measured.by_repeat[repeat_of(*run).number] = figures_of(*run);
  return measured;
}

Effect effect_between(const ComparedColumn& reference, const Measured& before, const ComparedColumn& column,
                      const Measured& after, const std::string& figure) {
  std::vector<double> first, second;
  for (const auto& [number, figures] : before.by_repeat) {
    const auto same = after.by_repeat.find(number);
    if (same == after.by_repeat.end()) continue;
    first.push_back(figures.at(figure));
    second.push_back(same->second.at(figure));
  }
  if (first.size() >= 2) return paired_effect(first, second, more_is_better(figure));
  return unpaired_effect(before.mean(figure), after.mean(figure), stretches_of(reference.run(), figure),
                         stretches_of(column.run(), figure), more_is_better(figure));
}

void add_figures(RunComparison& comparison) {
  std::vector<Measured> measured;
  for (const ComparedColumn& column : comparison.columns) measured.push_back(measure(column));
  for (const std::string name : kOrder) {
    ComparedFigure figure{name, {}, {}};
    for (const Measured& one : measured) figure.values.push_back(one.of_all(name));
    if (std::all_of(figure.values.begin(), figure.values.end(), [](double v) { return std::isnan(v); }))
      continue;
    figure.effects.push_back({});
    for (std::size_t i = 1; i < measured.size(); ++i)
      figure.effects.push_back(
          effect_between(comparison.columns[0], measured[0], comparison.columns[i], measured[i], name));
    comparison.figures.push_back(std::move(figure));
  }
}

/// The differences of each column against the first, as rows with a value for every column.
void add_keys(RunComparison& comparison) {
  const std::size_t count = comparison.columns.size();
  const auto add = [&](std::vector<ComparedKey>& keys, const std::vector<DifferingKey>& found,
                       std::size_t at) {
    for (const DifferingKey& key : found) {
      auto row =
          std::find_if(keys.begin(), keys.end(), [&](const auto& one) { return one.name == key.name; });
      if (row == keys.end())
        row = keys.insert(keys.end(), {key.name, std::vector<std::string>(count, key.before)});
      row->values[at] = key.after;
    }
  };
  const RunHeader& reference = comparison.columns.front().run().header;
  for (std::size_t i = 1; i < count; ++i) {
    const RunDifference difference = run_difference(reference, comparison.columns[i].run().header);
    add(comparison.settings, difference.settings, i);
    add(comparison.load, difference.load, i);
    add(comparison.environment, difference.environment, i);
  }
  for (const ConfigEntry& entry : reference.config) {
    const bool differs = std::any_of(comparison.settings.begin(), comparison.settings.end(),
                                     [&](const ComparedKey& key) { return key.name == entry.name; });
    if (entry.name.find('.') == std::string::npos && !differs) ++comparison.equal_settings;
  }
}

}  // namespace

std::string run_label(RunId run) {
  return fmt::format("R-{:04}", run.value);
}

std::string ComparedColumn::label() const {
  const std::string first = run_label(run().id);
  if (runs.size() == 1) return first;
  return fmt::format("{} + {}", first, count_of(std::ssize(runs) - 1, "repeat"));
}

bool has_interval(const RunComparison& comparison, std::size_t column) {
  return std::any_of(comparison.figures.begin(), comparison.figures.end(), [column](const auto& figure) {
    const Reading reading = figure.effects[column].reading;
    return reading != Reading::one_pair && reading != Reading::undefined;
  });
}

RunComparison compare_runs(std::span<const Run* const> runs) {
  RunComparison comparison;
  comparison.columns = columns_of(runs);
  add_figures(comparison);
  add_keys(comparison);
  return comparison;
}

}  // namespace pitwall
