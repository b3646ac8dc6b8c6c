// SPDX-License-Identifier: GPL-3.0-or-later
// SweepRunner: one variable at a time against the same base; each measurement is a stored run, so that a
// sweep that was killed goes on where it stopped.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/bench/effect.h"
#include "engine/bench/goodput.h"
#include "engine/telemetry/run.h"

namespace pitwall {

/// A setting with the values to try.
struct SweepVariable {
  std::string name;
  std::vector<std::string> values;
};
/// "max-num-seqs=6,12,16".
Result<SweepVariable> parse_variable(const std::string& text);

struct SweepPlan {
  std::vector<SweepVariable> variables;         ///< one after another, never together
  int repeats = 3;                              ///< of the base and of each value; 2 or more give an interval
  std::string objective = "output_throughput";  ///< which figure decides
  Objectives objectives;                        ///< for "goodput"
  /// All that makes a measurement what it is: model, workload, seed, settings. Equal text, equal sweep.
  std::string description;

  std::string id() const;  ///< of variables, repeats and description
};

/// The figures that can be the objective; true: more is better.
const std::map<std::string, bool>& sweep_objectives();

std::string_view objective_unit(std::string_view objective);  ///< "tokens/s", "requests/s", "ms", "MiB"

/// One setting changed; an empty name is the base.
struct SweepChange {
  std::string name, value;
  bool is_base() const { return name.empty(); }
  std::string text() const;  ///< "max-num-seqs=12", "base"
};

struct SweepMeasurement {
  SweepChange change;
  int repeat = 1;
};

/// What a run's configuration carries of its sweep, and the way back.
std::vector<ConfigEntry> config_of(const SweepPlan& plan, const SweepMeasurement& measurement);
std::optional<SweepMeasurement> measurement_of(const Run& run, const SweepPlan& plan);

/// Figures of a run by our definitions, from what the store has of it. NaN where undefined. Beside those of
/// sweep_objectives(): completed, failed, mean_running (requests at once: Σ scheduled → finished / window)
/// and prefix_hit_percent (of prompt tokens).
std::map<std::string, double> run_figures(const Run& run, const Objectives& objectives);

/// What came of one measurement.
struct MeasuredRun {
  std::map<std::string, double> figures;
  std::int64_t run = 0;
};

struct SweepPoint {
  std::map<std::string, double> figures;  ///< means over repeats
  std::vector<std::int64_t> runs;
};

/// Effect = after − before of the objective; paired by repeat, since repeat k has the same requests in both.
struct SweepItem {
  SweepChange change;
  SweepPoint before, after;
  Interval effect{};    ///< 95 %
  double percent = 0;   ///< of the mean before; NaN where that is 0
  std::string verdict;  ///< "better", "worse", "no clear difference", "failed", "one repeat: not judged"
  std::string error;    ///< with failed
};

struct SweepProgress {
  std::size_t done = 0, total = 0;  ///< measurements
  std::size_t resumed = 0;          ///< of done, found in the store
  SweepMeasurement now;
};

struct SweepResult {
  std::string id;
  std::size_t resumed = 0;
  SweepPoint base;
  std::vector<SweepItem> items;
};

class SweepRunner {
 public:
  /// Makes one measurement and gives back its run, as it was stored. An error is that value's alone, unless
  /// it is the base's, or Error::cancelled.
  using Measure = std::function<Result<Run>(const SweepMeasurement& measurement)>;

  SweepRunner(SweepPlan plan, Measure measure);

  /// A run of an earlier sweep; taken in where it belongs to this one and has finished.
  void remember(const Run& run);
  /// A measurement that need not be made; the first one of its kind counts.
  void remember(const SweepMeasurement& measurement, MeasuredRun run);
  std::size_t remembered() const { return state_.resumed; }
  void on_progress(std::function<void(const SweepProgress&)> progress) { progress_ = std::move(progress); }
  void cancel() { cancelled_ = true; }  ///< from any thread; after the measurement in progress

  /// Blocking. Values in their order, each with all its repeats.
  Result<SweepResult> run();

 private:
  using Repeats = std::vector<std::optional<MeasuredRun>>;

  Repeats& repeats_of(const SweepChange& change);
  Result<void> measure_all(const SweepChange& change);
  SweepPoint point_of(const SweepChange& change);
  SweepItem judge(const SweepChange& change, std::string error);

  SweepPlan plan_;
  Measure measure_;
  std::function<void(const SweepProgress&)> progress_;
  SweepProgress state_;
  std::map<std::string, Repeats> measured_;  // by the change's text
  std::atomic<bool> cancelled_{false};
};

}  // namespace pitwall
