// SPDX-License-Identifier: GPL-3.0-or-later
// ChecklistRunner: measures items one after another, unattended, each by a SweepRunner whose base is what is
// kept so far; what was measured before a kill, or for another item, is not measured again.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "engine/bench/checklist.h"

namespace pitwall {

/// One measurement as it is asked for.
struct TuneMeasurement {
  Settings settings;
  int repeat = 1;                       ///< its requests are those of seed + repeat − 1
  std::string name;                     ///< for the run
  ChangedBy by = ChangedBy::checklist;  ///< sweep: its item tries further values
  std::vector<ConfigEntry> marks;  ///< go into the run's configuration: checklist.id, .item, .key, .repeat
};
/// Makes it and gives back its run, as it was stored.
using MeasureItem =
    std::function<Result<Run>(const Checklist& checklist, const TuneMeasurement& measurement)>;

struct TuneProgress {
  std::size_t item = 0;             ///< index
  std::size_t done = 0, total = 0;  ///< measurements of this item
  std::string change;               ///< now: "max-num-seqs=12", "base"
  int repeat = 0;
};

struct TuneCallbacks {
  std::function<void(const TuneProgress& progress)> on_progress;
  /// An item's verdict, effect or error changed: write it down before going on.
  std::function<Result<void>(const Checklist& checklist)> on_change;
  std::function<void(const std::string& key, int repeat, const MeasuredRun& run)> on_measured;
};

class ChecklistRunner {
 public:
  /// `cancel` is looked at between measurements; the measure looks at it too.
  ChecklistRunner(Checklist checklist, KnownRuns known, MeasureItem measure, TuneCallbacks callbacks,
                  const std::atomic<bool>& cancel);

  /// Blocking. Each of `items` is measured and judged; what is kept is the base of those after it. A failed
  /// measurement is its item's error, and the next item goes on; the base's, a failed write and
  /// Error::cancelled end it.
  Result<void> run(const std::vector<std::size_t>& items);

  const Checklist& checklist() const { return checklist_; }

 private:
  Result<void> run_item(std::size_t index);
  Result<Run> measure(std::size_t index, const SweepMeasurement& asked);
  Result<Settings> settings_of(std::size_t index, const SweepChange& change) const;
  Result<void> tell();

  Checklist checklist_;
  KnownRuns known_;
  MeasureItem measure_;
  TuneCallbacks callbacks_;
  const std::atomic<bool>& cancel_;
};

/// Those that are not decided, in order: what running the whole checklist measures.
std::vector<std::size_t> open_items(const Checklist& checklist);

}  // namespace pitwall
