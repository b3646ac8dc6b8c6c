// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/checklist_runner.h"

#include <fmt/format.h>

#include <algorithm>

namespace pitwall {

namespace {

Error cancelled() {
  return {Error::Kind::cancelled, "Cancelled", "", "Run the checklist again to go on", ""};
}

/// The item's own value, with the other changes of a mixed item behind it.
std::string own_value(const Item& item) {
  std::string value = item.changes.front().to;
  for (std::size_t i = 1; i < item.changes.size(); ++i)
    value += fmt::format(" {}={}", item.changes[i].setting, item.changes[i].to);
  return value;
}

SweepVariable variable_of(const Item& item) {
  SweepVariable variable{item.changes.front().setting, {own_value(item)}};
  for (const std::string& value : also_values(item)) {
    const auto& values = variable.values;
    if (value != item.changes.front().to && value != item.changes.front().from &&
        std::find(values.begin(), values.end(), value) == values.end())
      variable.values.push_back(value);
  }
  return variable;
}

ConfigEntry mark(const char* name, std::string value) {
  return {std::string("checklist.") + name, std::move(value), "", "tuner", false};
}

}  // namespace

std::vector<std::size_t> open_items(const Checklist& checklist) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < checklist.items.size(); ++i)
    if (!checklist.items[i].decided()) open.push_back(i);
  return open;
}

ChecklistRunner::ChecklistRunner(Checklist checklist, KnownRuns known, MeasureItem measure,
                                 TuneCallbacks callbacks, const std::atomic<bool>& cancel)
    : checklist_(std::move(checklist)),
      known_(std::move(known)),
      measure_(std::move(measure)),
      callbacks_(std::move(callbacks)),
      cancel_(cancel) {}

Result<void> ChecklistRunner::run(const std::vector<std::size_t>& items) {
  if (auto sound = check(checklist_); !sound) return sound;
  for (const std::size_t index : items) {
    if (auto ran = run_item(index); !ran) return ran;
  }
  return {};
}

Result<void> ChecklistRunner::tell() {
  return callbacks_.on_change ? callbacks_.on_change(checklist_) : Result<void>();
}

Result<Settings> ChecklistRunner::settings_of(std::size_t index, const SweepChange& change) const {
  if (change.is_base()) return settings_before(checklist_, index);
  if (change.value == own_value(checklist_.items[index])) return settings_after(checklist_, index);
  return settings_with(checklist_, index, change.value);
}

Result<Run> ChecklistRunner::measure(std::size_t index, const SweepMeasurement& asked) {
  if (cancel_) return cancelled();
  auto settings = settings_of(index, asked.change);
  if (!settings) return settings.error();
  const std::string key = measurement_key(checklist_, *settings);
  TuneMeasurement measurement;
  measurement.settings = std::move(*settings);
  measurement.repeat = asked.repeat;
  measurement.name = fmt::format("{}, item {}: {}, repeat {}", checklist_.name, index + 1,
                                 asked.change.text(), asked.repeat);
  if (!checklist_.items[index].also.empty()) measurement.by = ChangedBy::sweep;
  measurement.marks = {mark("id", checklist_.uuid), mark("item", std::to_string(checklist_.items[index].id)),
                       mark("change", asked.change.text()), mark("key", key),
                       mark("repeat", std::to_string(asked.repeat))};
  auto run = measure_(checklist_, measurement);
  if (!run) return run;
  MeasuredRun measured{run_figures(*run, {}), run->id.value};
  if (callbacks_.on_measured) callbacks_.on_measured(key, asked.repeat, measured);
  known_[key][asked.repeat] = std::move(measured);
  return run;
}

Result<void> ChecklistRunner::run_item(std::size_t index) {
  Item& item = checklist_.items[index];
  const ItemVerdict before = item.verdict;
  item.verdict = ItemVerdict::running;
  item.error.clear();
  if (auto told = tell(); !told) return told;

  SweepPlan plan;
  plan.variables = {variable_of(item)};
  plan.repeats = repeats_of(checklist_, item);
  plan.objective = measure_of(checklist_, item);
  SweepMeasurement now;
  SweepRunner runner(plan, [&](const SweepMeasurement& asked) { return measure(index, asked); });
  std::vector<SweepChange> changes{{}};
  for (const std::string& value : plan.variables.front().values)
    changes.push_back({plan.variables.front().name, value});
  for (const SweepChange& change : changes) {
    const auto settings = settings_of(index, change);
    if (!settings) continue;  // the measurement says why
    const auto found = known_.find(measurement_key(checklist_, *settings));
    if (found == known_.end()) continue;
    for (const auto& [repeat, run] : found->second)
      if (repeat <= plan.repeats) runner.remember({change, repeat}, run);
  }
  runner.on_progress([&](const SweepProgress& progress) {
    now = progress.now;
    if (callbacks_.on_progress)
      callbacks_.on_progress({index, progress.done, progress.total, now.change.text(), now.repeat});
  });

  const auto swept = runner.run();
  std::string trouble = swept ? swept->items.front().error : swept.error().text();
  const bool stopped = !swept && swept.error().kind == Error::Kind::cancelled;
  if (stopped) trouble.clear();
  if (trouble.empty() && !stopped) {
    item.by_user = item.by_user && before != ItemVerdict::running;  // cut off: what stood there is lost
    item.verdict = before;
    judge(checklist_, item, result_of(checklist_, index, known_));
  } else {
    item.verdict = before == ItemVerdict::running ? ItemVerdict::planned : before;
    if (!trouble.empty()) {
      const ItemResult so_far = result_of(checklist_, index, known_);
      const std::size_t done = !swept ? so_far.before.runs.size() : so_far.after.runs.size();
      item.error = fmt::format("Run {} of {} failed: {}",
                               std::min<std::size_t>(done + 1, static_cast<std::size_t>(plan.repeats)),
                               plan.repeats, trouble);
    }
  }
  if (auto told = tell(); !told) return told;
  return swept ? Result<void>() : Result<void>(swept.error());
}

}  // namespace pitwall
