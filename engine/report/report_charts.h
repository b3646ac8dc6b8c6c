// SPDX-License-Identifier: GPL-3.0-or-later
// The drawings of a run: charts over time, the spread over requests, and the memory bar.
#pragma once
#include <string>
#include <vector>

#include "engine/report/cdf.h"
#include "engine/report/svg_chart.h"
#include "engine/telemetry/run.h"

namespace pitwall {

/// ITL, TTFT, TPOT, throughput, requests in the engine, memory, queue, spread of latency: in this order.
std::vector<SvgChart> run_charts(const Run& run);

/// Adds the staircase of a distribution, for a chart with log_x and nines_y.
void draw_cdf(const Cdf& cdf, SvgSeries& series);

/// Two bars: the process by category, and the device with others and the limit. Empty when nothing was
/// recorded.
std::string memory_bar_svg(const LedgerSnapshot& ledger);

}  // namespace pitwall
