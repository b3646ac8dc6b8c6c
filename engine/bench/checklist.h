// SPDX-License-Identifier: GPL-3.0-or-later
// What a checklist means: the settings that hold in each of its measurements, which change may go into an
// item, what its runs came to, and the verdicts.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/bench/effect.h"
#include "engine/bench/sweep.h"
#include "engine/settings/settings.h"
#include "engine/telemetry/checklist.h"

namespace pitwall {

/// A bound on a figure's mean over repeats.
struct FigureLimit {
  std::string figure;  ///< of sweep_objectives()
  double most = 0;     ///< of one of which more is better: least
};
/// "p50_ttft_ms:1500 p99_tpot_ms:90". Error::param is "limits".
Result<std::vector<FigureLimit>> parse_limits(const std::string& text);

/// "6,16,32" → 6, 16, 32; empty → none.
std::vector<std::string> also_values(const Item& item);

/// The simulator plays scheduling and memory alone; a running engine takes what is live; nothing of the
/// server is an item.
bool can_measure(const SettingInfo& info, TuneTarget target);

/// Adds a variable, or gives the item's own other values. A second variable is refused, with the way out,
/// unless it is allowed; so is a name or value that the table of settings refuses, a change that changes
/// nothing, and a setting that the target cannot measure. Error::param is the setting, or "item" for a second
/// variable.
Result<void> add_change(Item& item, const ItemChange& change, TuneTarget target, bool allow_mixed = false);

/// Model, workload, figures, limits, base and items make sense; the error names the field.
Result<void> check(const Checklist& checklist);

/// The base with the changes of the items before `item` that are kept; `item` = their number: all of them.
Result<Settings> settings_before(const Checklist& checklist, std::size_t item);
/// Those with the item's own changes, or with another value of its first variable.
Result<Settings> settings_after(const Checklist& checklist, std::size_t item);
Result<Settings> settings_with(const Checklist& checklist, std::size_t item, const std::string& value);
/// The repository that has the weights of a model whose profile only describes it; empty = no such model.
std::string weights_elsewhere(const Checklist& checklist);
/// Names what is measured: equal keys, equal measurements, but for the repeat.
std::string measurement_key(const Checklist& checklist, const Settings& settings);

/// Finished runs of a checklist by measurement_key and repeat.
using KnownRuns = std::map<std::string, std::map<int, MeasuredRun>>;

struct TunePoint {
  std::string value;                        ///< of the item's variable; empty = before
  std::map<std::string, Interval> figures;  ///< over its repeats, 95 %
  std::vector<std::int64_t> runs;           ///< by repeat
};

struct ItemResult {
  TunePoint before, after;
  std::vector<TunePoint> also;            ///< its further values, those that were measured
  std::map<std::string, Effect> effects;  ///< by figure, over the repeats that both sides have
  int pairs = 0;
};

/// The runs of an item; points without runs where nothing was measured.
ItemResult result_of(const Checklist& checklist, std::size_t item, const KnownRuns& known);

/// Repeats that the item's measurements have.
int repeats_of(const Checklist& checklist, const Item& item);
const std::string& measure_of(const Checklist& checklist, const Item& item);

/// Of the values that were tried, the one whose mean of the measure is best among those that keep all limits;
/// none: no value does, or nothing is measured.
std::optional<std::string> best_value(const Checklist& checklist, const Item& item, const ItemResult& result);

/// Writes effect and verdict into the item: kept where the measure is better, reverted where it is worse or a
/// limit that held before is broken, else unclear. A verdict of the user stays.
void judge(const Checklist& checklist, Item& item, const ItemResult& result);

/// Its verdict was judged by runs that are not those of its present base: it is to be measured again.
bool is_outdated(const Item& item, const ItemResult& result);

/// Names of the kept items that are to be measured again; `results`: one an item.
std::vector<std::string> kept_but_outdated(const Checklist& checklist,
                                           const std::vector<ItemResult>& results);
/// Base and every kept item but those.
Result<Settings> recommended_settings(const Checklist& checklist, const std::vector<ItemResult>& results);

/// Limits that `after` breaks and `before` does not.
std::vector<FigureLimit> newly_broken(const Checklist& checklist, const ItemResult& result);

}  // namespace pitwall
