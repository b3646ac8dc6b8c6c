// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/checklist.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/sha256.h"
#include "engine/base/text_escape.h"
#include "engine/bench/workload.h"
#include "engine/library/model_profile.h"

namespace pitwall {

namespace {

Error bad(std::string what, std::string cause, std::string action, std::string param) {
  return {Error::Kind::invalid_input, std::move(what), std::move(cause), std::move(action), std::move(param)};
}

std::string figure_names() {
  std::string names;
  for (const auto& [name, more] : sweep_objectives()) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

Result<void> check_figure(const std::string& figure, const char* param) {
  if (sweep_objectives().contains(figure) && figure != "goodput") return {};
  return bad(quote_for_message(figure) + " is no figure of a run", "", "Take one of " + figure_names(),
             param);
}

Result<void> check_measurable(const SettingInfo& info, TuneTarget target) {
  const std::string name(info.name);
  if (info.name == "model" || info.group == "Server")
    return bad(name + " cannot be an item", "It is not a setting of the engine's work",
               "Make a checklist of its own for another model or server", name);
  const bool simulated = info.group == "Memory" || info.group == "Scheduling" || info.name == "max-model-len";
  if (target == TuneTarget::simulator && !simulated)
    return bad("The simulator does not play " + name, "It knows scheduling and memory alone",
               "Measure this item on a fresh engine", name);
  if (target == TuneTarget::running_engine && !info.live)
    return bad(name + " cannot change while the engine runs", "It is read at the engine's start",
               "Measure this item on a fresh engine", name);
  return {};
}

Result<void> apply(Settings& settings, const ItemChange& change, const std::string& value) {
  return settings.set(change.setting, value, SettingOrigin::tuner);
}

bool better_at_most(const std::string& figure) {
  return !sweep_objectives().at(figure);
}

}  // namespace

Result<std::vector<FigureLimit>> parse_limits(const std::string& text) {
  std::vector<FigureLimit> limits;
  for (std::size_t at = text.find_first_not_of(' '); at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t colon = std::min(word.find(':'), word.size());
    FigureLimit limit{word.substr(0, colon), 0};
    if (auto known = check_figure(limit.figure, "limits"); !known) return known.error();
    const char* first = word.data() + std::min(colon + 1, word.size());
    const auto read = std::from_chars(first, word.data() + word.size(), limit.most);
    if (read.ec != std::errc() || read.ptr != word.data() + word.size() || !(limit.most > 0))
      return bad(quote_for_message(word) + " is no limit", "It has no number above 0 after a colon",
                 "Write it as p50_ttft_ms:1500", "limits");
    limits.push_back(std::move(limit));
    at = text.find_first_not_of(' ', end);
  }
  return limits;
}

bool can_measure(const SettingInfo& info, TuneTarget target) {
  return check_measurable(info, target).ok();
}

std::vector<std::string> also_values(const Item& item) {
  return split_list(item.also);
}

Result<void> add_change(Item& item, const ItemChange& change, TuneTarget target, bool allow_mixed) {
  const SettingInfo* info = find_setting(change.setting);
  if (info == nullptr)
    return {Error{Error::Kind::not_found, "There is no setting " + quote_for_message(change.setting), "",
                  "Choose one of the table of settings", "item"}};
  const ItemChange named{std::string(info->name), change.from, change.to};
  if (auto measurable = check_measurable(*info, target); !measurable) return measurable;
  Settings from, to;
  if (auto set = from.set(named.setting, named.from); !set) return set;
  if (auto set = to.set(named.setting, named.to); !set) return set;
  if (from.display(named.setting) == to.display(named.setting))
    return bad(fmt::format("{} is {} before and after", named.setting, named.to), "",
               "Choose another value to try", named.setting);
  const auto same = std::find_if(item.changes.begin(), item.changes.end(),
                                 [&](const ItemChange& one) { return one.setting == named.setting; });
  if (same != item.changes.end()) {
    *same = named;
    return {};
  }
  if (!item.changes.empty() && !allow_mixed)
    return bad(fmt::format("This item changes {} already; {} is a second variable",
                           item.changes.front().setting, named.setting),
               "An effect of two changes cannot be told apart",
               "Split into two items, or allow it and mark the item as mixed", "item");
  item.changes.push_back(named);
  return {};
}

Result<Settings> settings_before(const Checklist& checklist, std::size_t item) {
  Settings settings;
  if (auto base = settings.load_json(checklist.settings); !base) return base.error();
  for (std::size_t i = 0; i < std::min(item, checklist.items.size()); ++i) {
    if (checklist.items[i].verdict != ItemVerdict::keep) continue;
    for (const ItemChange& change : checklist.items[i].changes) {
      if (auto set = apply(settings, change, change.to); !set) return set.error();
    }
  }
  return settings;
}

Result<Settings> settings_after(const Checklist& checklist, std::size_t item) {
  auto settings = settings_before(checklist, item);
  if (!settings) return settings;
  for (const ItemChange& change : checklist.items[item].changes) {
    if (auto set = apply(*settings, change, change.to); !set) return set.error();
  }
  return settings;
}

Result<Settings> settings_with(const Checklist& checklist, std::size_t item, const std::string& value) {
  auto settings = settings_before(checklist, item);
  if (!settings) return settings;
  if (auto set = apply(*settings, checklist.items[item].changes.front(), value); !set) return set.error();
  return settings;
}

Result<void> check(const Checklist& checklist) {
  if (checklist.name.empty()) return bad("The checklist has no name", "", "Give it one", "name");
  if (checklist.repeats < 1 || checklist.repeats > 1000)
    return bad(fmt::format("repeats is {}", checklist.repeats), "",
               "Take 1 to 1000; 2 or more give an interval", "repeats");
  if (checklist.max_concurrency < -1 || checklist.num_prompts < 0)
    return bad("A number of requests is below zero", "", "Take 0 for the workload's own", "num_prompts");
  if (auto workload = find_workload(checklist.workload); !workload) return workload.error();
  if (auto figure = check_figure(checklist.measure, "measure"); !figure) return figure;
  if (auto figure = check_figure(checklist.latency, "latency"); !figure) return figure;
  if (auto limits = parse_limits(checklist.limits); !limits) return limits.error();
  Settings base;
  if (auto loaded = base.load_json(checklist.settings); !loaded) return loaded;
  for (const Item& item : checklist.items) {
    if (item.changes.empty())
      return bad("Item " + quote_for_message(item.name) + " changes nothing", "",
                 "Name a setting and a value", "item");
    if (!item.measure.empty())
      if (auto figure = check_figure(item.measure, "measure"); !figure) return figure;
    Item probe;
    for (const ItemChange& change : item.changes)
      if (auto sound = add_change(probe, change, checklist.target, true); !sound) return sound;
    for (const std::string& value : also_values(item))
      if (auto set = base.set(item.changes.front().setting, value); !set) return set;
  }
  return {};
}

std::string weights_elsewhere(const Checklist& checklist) {
  const ModelProfile* profile = find_model_profile(checklist.model);
  return profile == nullptr || profile->fetchable() ? "" : profile->hub;
}

std::string measurement_key(const Checklist& checklist, const Settings& settings) {
  const nlohmann::json what = {checklist.target,          checklist.model,    checklist.gpus,
                               checklist.engine,          checklist.workload, checklist.num_prompts,
                               checklist.max_concurrency, checklist.seed,     settings.to_json()};
  constexpr std::size_t kDigits = 16;
  const std::string text = what.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  Sha256 sum;
  sum.update(std::as_bytes(std::span(text)));
  return sum.finish().substr(0, kDigits);
}

int repeats_of(const Checklist& checklist, const Item& item) {
  return item.repeats > 0 ? item.repeats : checklist.repeats;
}

const std::string& measure_of(const Checklist& checklist, const Item& item) {
  return item.measure.empty() ? checklist.measure : item.measure;
}

namespace {

const std::map<int, MeasuredRun>* runs_of(const Checklist& checklist, const Result<Settings>& settings,
                                          const KnownRuns& known) {
  if (!settings) return nullptr;
  const auto found = known.find(measurement_key(checklist, *settings));
  return found == known.end() ? nullptr : &found->second;
}

TunePoint point_of(const std::map<int, MeasuredRun>* runs, std::string value, int repeats) {
  TunePoint point;
  point.value = std::move(value);
  if (runs == nullptr) return point;
  std::map<std::string, std::vector<double>> values;
  for (const auto& [repeat, run] : *runs) {
    if (repeat > repeats) continue;
    point.runs.push_back(run.run);
    for (const auto& [name, value_of_run] : run.figures) {
      if (!std::isnan(value_of_run)) values[name].push_back(value_of_run);
    }
  }
  for (const auto& [name, some] : values) point.figures[name] = mean_interval(some);
  return point;
}

std::optional<bool> more_is_better(const std::string& figure) {
  if (figure == "prefix_hit_percent") return true;
  const auto found = sweep_objectives().find(figure);
  return found == sweep_objectives().end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

ItemResult result_of(const Checklist& checklist, std::size_t item, const KnownRuns& known) {
  ItemResult result;
  const Item& one = checklist.items[item];
  const int repeats = repeats_of(checklist, one);
  const auto* before = runs_of(checklist, settings_before(checklist, item), known);
  const auto* after = runs_of(checklist, settings_after(checklist, item), known);
  result.before = point_of(before, {}, repeats);
  result.after = point_of(after, one.changes.empty() ? "" : one.changes.front().to, repeats);
  for (const std::string& value : also_values(one)) {
    const auto* runs = runs_of(checklist, settings_with(checklist, item, value), known);
    if (runs != nullptr) result.also.push_back(point_of(runs, value, repeats));
  }
  if (before == nullptr || after == nullptr) return result;
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> pairs;
  for (const auto& [repeat, run] : *before) {
    const auto other = after->find(repeat);
    if (other == after->end() || repeat > repeats) continue;
    ++result.pairs;
    for (const auto& [name, value] : run.figures) {
      const auto now = other->second.figures.find(name);
      if (now == other->second.figures.end()) continue;
      pairs[name].first.push_back(value);
      pairs[name].second.push_back(now->second);
    }
  }
  for (const auto& [name, values] : pairs)
    result.effects[name] = paired_effect(values.first, values.second, more_is_better(name));
  return result;
}

std::vector<FigureLimit> newly_broken(const Checklist& checklist, const ItemResult& result) {
  std::vector<FigureLimit> broken;
  const auto limits = parse_limits(checklist.limits);
  if (!limits) return broken;
  for (const FigureLimit& limit : *limits) {
    const auto found = result.effects.find(limit.figure);
    if (found == result.effects.end()) continue;
    const auto breaks = [&](double value) {
      return better_at_most(limit.figure) ? value > limit.most : value < limit.most;
    };
    if (breaks(found->second.after) && !breaks(found->second.before)) broken.push_back(limit);
  }
  return broken;
}

bool is_outdated(const Item& item, const ItemResult& result) {
  const bool judged = item.decided() || item.verdict == ItemVerdict::unclear;
  return judged && !item.by_user && result.pairs == 0;
}

std::vector<std::string> kept_but_outdated(const Checklist& checklist,
                                           const std::vector<ItemResult>& results) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < checklist.items.size(); ++i) {
    const Item& item = checklist.items[i];
    if (item.verdict == ItemVerdict::keep && is_outdated(item, results[i])) names.push_back(item.name);
  }
  return names;
}

Result<Settings> recommended_settings(const Checklist& checklist, const std::vector<ItemResult>& results) {
  Checklist holding = checklist;
  for (std::size_t i = 0; i < holding.items.size(); ++i)
    if (is_outdated(holding.items[i], results[i])) holding.items[i].verdict = ItemVerdict::planned;
  return settings_before(holding, holding.items.size());
}

std::optional<std::string> best_value(const Checklist& checklist, const Item& item,
                                      const ItemResult& result) {
  const auto limits = parse_limits(checklist.limits);
  const std::string& measure = measure_of(checklist, item);
  const auto mean = [](const TunePoint& point, const std::string& figure) {
    const auto found = point.figures.find(figure);
    return found == point.figures.end() ? std::nan("") : found->second.mean;
  };
  const auto keeps_limits = [&](const TunePoint& point) {
    return !limits || std::all_of(limits->begin(), limits->end(), [&](const FigureLimit& limit) {
      const double value = mean(point, limit.figure);
      return !(better_at_most(limit.figure) ? value > limit.most : value < limit.most);
    });
  };
  std::vector<TunePoint> tried = result.also;
  tried.push_back(result.after);
  std::optional<std::string> best;
  double best_mean = 0;
  for (const TunePoint& point : tried) {
    const double value = mean(point, measure);
    if (std::isnan(value) || !keeps_limits(point)) continue;
    const bool better = more_is_better(measure).value_or(true) ? value > best_mean : value < best_mean;
    if (best && !better) continue;
    best = point.value;
    best_mean = value;
  }
  return best;
}

void judge(const Checklist& checklist, Item& item, const ItemResult& result) {
  const auto found = result.effects.find(measure_of(checklist, item));
  const Effect effect = found == result.effects.end() ? Effect{} : found->second;
  const bool known = effect.reading != Reading::undefined;
  item.effect = known ? effect.difference.mean : std::nan("");
  item.effect_low = known ? effect.difference.low : std::nan("");
  item.effect_high = known ? effect.difference.high : std::nan("");
  item.percent = known ? effect.percent : std::nan("");
  if (item.by_user) return;
  if (effect.reading == Reading::worse || !newly_broken(checklist, result).empty()) {
    item.verdict = ItemVerdict::revert;
  } else {
    item.verdict = effect.reading == Reading::better ? ItemVerdict::keep : ItemVerdict::unclear;
  }
}

}  // namespace pitwall
