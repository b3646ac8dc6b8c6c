// SPDX-License-Identifier: GPL-3.0-or-later
// What the charts of a serving engine and of its stored runs draw: records of seconds as lines and layers,
// sketches as distributions.
#pragma once
#include <vector>

#include "engine/telemetry/snapshot.h"
#include "ui/widgets/cdf_chart.h"
#include "ui/widgets/stack_chart.h"

namespace pitwall::ui {

double seconds_of(Nanos utc);

/// p50, p90 and p99 of a measure over the seconds; a percentile without enough samples (20, 100) is a gap.
std::vector<ChartSeries> percentile_series(const std::vector<SecondRecord>& seconds,
                                           Percentiles SecondRecord::*measure, Colour colour);
/// Why a percentile line is missing, from the newest second that has samples; empty when none is.
QString missing_text(const std::vector<SecondRecord>& seconds, Percentiles SecondRecord::*measure);
std::vector<ChartSeries> throughput_series(const std::vector<SecondRecord>& seconds);
std::vector<ChartSeries> memory_series(const std::vector<SecondRecord>& seconds, Bytes unit);

/// In percent of a measure's samples, by tenth of a decade of ms: ITL, TPOT, TTFT and queue time.
std::vector<ChartSeries> distribution_series(const LatencySketches& sketches);
std::vector<CdfCurve> cdf_curves(const LatencySketches& sketches);  ///< of the same

/// Weights, working memory and the KV pool's parts, with what the system says, in units of `unit`.
StackData memory_stack(const std::vector<SecondRecord>& seconds, const LedgerSnapshot& ledger, Bytes unit);

}  // namespace pitwall::ui
