// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/base/sha256.h"
#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<SweepChange> changes_of(const SweepPlan& plan) {
  std::vector<SweepChange> changes;
  for (const SweepVariable& variable : plan.variables) {
    for (const std::string& value : variable.values) changes.push_back({variable.name, value});
  }
  return changes;
}

const std::string* entry_of(const Run& run, std::string_view name) {
  for (const ConfigEntry& entry : run.header.config) {
    if (entry.name == name) return &entry.value;
  }
  return nullptr;
}

const char* verdict_of(Reading reading) {
  switch (reading) {
    case Reading::better:
      return "better";
    case Reading::worse:
      return "worse";
    case Reading::no_change:
      return "no clear difference";
    case Reading::one_pair:
      return "one repeat: not judged";
    case Reading::moved:
    case Reading::undefined:
      break;
  }
  return "failed";
}

}  // namespace

Result<SweepVariable> parse_variable(const std::string& text) {
  const auto bad = [&](std::string why) {
    return Error{Error::Kind::invalid_input, quote_for_message(text) + " names no values to try",
                 std::move(why), "Write --vary NAME=A,B,C, such as max-num-seqs=8,16,32", "vary"};
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return bad("It has no = between a setting and its values");
  SweepVariable variable{text.substr(0, equals), {}};
  for (std::size_t at = equals + 1; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    variable.values.push_back(text.substr(at, end - at));
    if (variable.values.back().empty()) return bad("One value is empty");
    at = end + 1;
  }
  auto sorted = variable.values;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return bad("One value stands twice");
  return variable;
}

const std::map<std::string, bool>& sweep_objectives() {
  static const std::map<std::string, bool> kMoreIsBetter{
      {"output_throughput", true}, {"request_throughput", true}, {"goodput", true},
      {"p50_ttft_ms", false},      {"p99_ttft_ms", false},       {"p50_tpot_ms", false},
      {"p99_tpot_ms", false},      {"p50_e2el_ms", false},       {"p99_e2el_ms", false},
      {"p99_itl_ms", false},       {"peak_kv_mib", false}};
  return kMoreIsBetter;
}

std::string_view objective_unit(std::string_view objective) {
  if (objective == "output_throughput") return "tokens/s";
  if (objective.ends_with("_ms")) return "ms";
  return objective.ends_with("_mib") ? "MiB" : "requests/s";
}

std::string SweepPlan::id() const {
  std::string text = fmt::format("{}\n{}", description, repeats);
  for (const SweepChange& change : changes_of(*this)) text += fmt::format("\n{}", change.text());
  constexpr std::size_t kDigits = 16;
  Sha256 sum;
  sum.update(std::as_bytes(std::span(text)));
  return sum.finish().substr(0, kDigits);
}

std::string SweepChange::text() const {
  return is_base() ? std::string("base") : fmt::format("{}={}", name, value);
}

std::vector<ConfigEntry> config_of(const SweepPlan& plan, const SweepMeasurement& measurement) {
  const auto entry = [](const char* name, std::string value) {
    return ConfigEntry{name, std::move(value), "", "tuner", false};
  };
  return {entry("sweep.id", plan.id()), entry("sweep.change", measurement.change.text()),
          entry("sweep.repeat", std::to_string(measurement.repeat))};
}

std::optional<SweepMeasurement> measurement_of(const Run& run, const SweepPlan& plan) {
  if (run.summary.status != RunStatus::finished) return std::nullopt;
  const std::string* id = entry_of(run, "sweep.id");
  const std::string* text = entry_of(run, "sweep.change");
  const std::string* repeat = entry_of(run, "sweep.repeat");
  if (id == nullptr || text == nullptr || repeat == nullptr || *id != plan.id()) return std::nullopt;
  std::vector<SweepChange> changes = changes_of(plan);
  changes.push_back({});
  for (const SweepChange& change : changes) {
    if (change.text() != *text) continue;
    for (int i = 1; i <= plan.repeats; ++i) {
      if (std::to_string(i) == *repeat) return SweepMeasurement{change, i};
    }
  }
  return std::nullopt;
}

std::map<std::string, double> run_figures(const Run& run, const Objectives& objectives) {
  Nanos first = std::numeric_limits<Nanos>::max(), last = 0, running = 0;
  std::int64_t ended = 0, tokens = 0, good = 0, prompt = 0, cached = 0;
  std::vector<double> ttft, tpot, e2e;
  const auto put = [](std::vector<double>& values, double value) {
    if (!std::isnan(value)) values.push_back(value);
  };
  for (const RequestRecord& request : run.requests) {
    first = std::min(first, request.arrival);
    if (!request.ended_well()) continue;
    last = std::max(last, request.finished);
    ++ended;
    tokens += request.output_tokens;
    prompt += request.prompt_tokens;
    cached += request.cached_tokens;
    running += request.finished - std::max(request.scheduled, request.arrival);
    good += objectives.met_by(request.ttft_ms(), request.tpot_ms(), request.e2e_ms(), false) ? 1 : 0;
    put(ttft, request.ttft_ms());
    put(tpot, request.tpot_ms());
    put(e2e, request.e2e_ms());
  }
  const double window =
      last > first ? static_cast<double>(last - first) / static_cast<double>(kNanosPerSecond) : 0;
  const auto rate = [&](std::int64_t count) {
    return window > 0 ? static_cast<double>(count) / window : kNaN;
  };
  Bytes peak_kv = 0;
  for (const SecondRecord& second : run.seconds) peak_kv = std::max(peak_kv, second.kv_used);
  const auto itl = run.summary.metrics.find("itl_ms");
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : kNaN; };
  const Summary ttfts = summarize(std::move(ttft)), tpots = summarize(std::move(tpot)),
                e2es = summarize(std::move(e2e));
  return {
      {"request_throughput", rate(ended)},
      {"output_throughput", rate(tokens)},
      {"goodput", objectives.any() ? rate(good) : kNaN},
      {"p50_ttft_ms", ttfts.p50},
      {"p99_ttft_ms", ttfts.p99},
      {"p50_tpot_ms", tpots.p50},
      {"p99_tpot_ms", tpots.p99},
      {"p99_itl_ms", itl == run.summary.metrics.end() ? kNaN : itl->second.p99},
      {"p50_e2el_ms", e2es.p50},
      {"p99_e2el_ms", e2es.p99},
      {"peak_kv_mib", peak_kv > 0 ? static_cast<double>(peak_kv) / static_cast<double>(kMiB) : kNaN},
      {"mean_running", share(static_cast<double>(running) / static_cast<double>(kNanosPerSecond), window)},
      {"prefix_hit_percent", 100 * share(static_cast<double>(cached), static_cast<double>(prompt))},
      {"completed", static_cast<double>(ended)},
      {"failed", static_cast<double>(std::ssize(run.requests) - ended)}};
}

SweepRunner::SweepRunner(SweepPlan plan, Measure measure)
    : plan_(std::move(plan)), measure_(std::move(measure)) {
  state_.total = (changes_of(plan_).size() + 1) * static_cast<std::size_t>(plan_.repeats);
}

SweepRunner::Repeats& SweepRunner::repeats_of(const SweepChange& change) {
  Repeats& repeats = measured_[change.text()];
  repeats.resize(static_cast<std::size_t>(plan_.repeats));
  return repeats;
}

void SweepRunner::remember(const Run& run) {
  const auto measurement = measurement_of(run, plan_);
  if (measurement) remember(*measurement, {run_figures(run, plan_.objectives), run.id.value});
}

void SweepRunner::remember(const SweepMeasurement& measurement, MeasuredRun run) {
  auto& place = repeats_of(measurement.change)[static_cast<std::size_t>(measurement.repeat - 1)];
  if (place) return;
  place = std::move(run);
  ++state_.done;
  ++state_.resumed;
}

Result<void> SweepRunner::measure_all(const SweepChange& change) {
  Repeats& repeats = repeats_of(change);
  for (int repeat = 1; repeat <= plan_.repeats; ++repeat) {
    auto& place = repeats[static_cast<std::size_t>(repeat - 1)];
    if (place) continue;
    if (cancelled_)
      return Error{Error::Kind::cancelled, "Cancelled", "", "Run the same sweep again to go on", ""};
    state_.now = {change, repeat};
    if (progress_) progress_(state_);
    const auto run = measure_(state_.now);
    if (!run) return run.error();
    place = MeasuredRun{run_figures(*run, plan_.objectives), run->id.value};
    ++state_.done;
    if (progress_) progress_(state_);
  }
  return {};
}

SweepPoint SweepRunner::point_of(const SweepChange& change) {
  SweepPoint point;
  std::map<std::string, std::vector<double>> values;
  for (const auto& measured : repeats_of(change)) {
    if (!measured) continue;
    point.runs.push_back(measured->run);
    for (const auto& [name, value] : measured->figures) {
      if (!std::isnan(value)) values[name].push_back(value);
    }
  }
  for (const auto& [name, some] : values) point.figures[name] = mean_interval(some).mean;
  return point;
}

SweepItem SweepRunner::judge(const SweepChange& change, std::string error) {
  SweepItem item{change, point_of({}), point_of(change), {kNaN, kNaN, kNaN},
                 kNaN,   "failed",     std::move(error)};
  if (!item.error.empty()) return item;
  const auto values_of = [&](const SweepChange& of) {
    std::vector<double> values;
    for (const auto& measured : repeats_of(of)) values.push_back(measured->figures.at(plan_.objective));
    return values;
  };
  const Effect effect =
      paired_effect(values_of({}), values_of(change), sweep_objectives().at(plan_.objective));
  item.effect = effect.difference;
  item.percent = effect.percent;
  item.verdict = verdict_of(effect.reading);
  if (effect.reading == Reading::undefined)
    item.error = "The objective is undefined: no request ended well, or it needs limits";
  return item;
}

Result<SweepResult> SweepRunner::run() {
  if (auto base = measure_all({}); !base) return base.error();
  SweepResult result;
  for (const SweepChange& change : changes_of(plan_)) {
    const auto measured = measure_all(change);
    if (!measured && measured.error().kind == Error::Kind::cancelled) return measured.error();
    result.items.push_back(judge(change, measured ? "" : measured.error().text()));
  }
  result.id = plan_.id();
  result.resumed = state_.resumed;
  result.base = point_of({});
  return result;
}

}  // namespace pitwall
