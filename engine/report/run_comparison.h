// SPDX-License-Identifier: GPL-3.0-or-later
// Two to eight measurements side by side: figures with their effect against the first, and only the settings,
// load and environment that differ.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/bench/effect.h"
#include "engine/telemetry/run.h"

namespace pitwall {

inline constexpr std::size_t kLeastCompared = 2, kMostCompared = 8;

/// One run, or the repeats of one measurement of a sweep or checklist that finished.
struct ComparedColumn {
  std::vector<const Run*> runs;  ///< not owned; not empty
  const Run& run() const { return *runs.front(); }
  std::string label() const;  ///< "R-0145", "R-0145 + 2 repeats"
};

struct ComparedFigure {
  std::string name;  ///< "p50_ttft_ms"
  std::vector<double>
      values;  ///< one a column: means over its repeats, of maxima the largest; NaN where undefined
  std::vector<Effect> effects;  ///< one a column; the first column's is undefined
};

struct ComparedKey {
  std::string name;
  std::vector<std::string> values;  ///< one a column; empty = that run does not say
};

struct RunComparison {
  std::vector<ComparedColumn> columns;  ///< in the order of their first runs; the first is the reference
  std::vector<ComparedFigure> figures;  ///< those that a column has
  std::vector<ComparedKey> settings, load, environment;  ///< only what differs
  std::size_t equal_settings = 0;
};

/// Whether a figure of that column has an interval: without one there is no verdict, not even "no change".
bool has_interval(const RunComparison& comparison, std::size_t column);

/// `runs` outlive the result, two or more. Figures are exact, from the summaries. Intervals: over repeats,
/// paired, where two columns have the same ones; else over ten stretches of each run's requests and seconds,
/// where those are long enough.
RunComparison compare_runs(std::span<const Run* const> runs);

/// "R-0012".
std::string run_label(RunId run);

}  // namespace pitwall
