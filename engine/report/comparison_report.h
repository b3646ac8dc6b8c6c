// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of runs as a document. Byte-stable: the same runs give the same bytes.
#pragma once
#include <string>
#include <vector>

#include "engine/report/run_comparison.h"
#include "engine/report/svg_chart.h"

namespace pitwall {

std::string comparison_html(const RunComparison& comparison);  ///< self-contained, with the charts inline
std::string comparison_markdown(const RunComparison& comparison);
std::string comparison_json(const RunComparison& comparison);

/// What each column does to the first one, a sentence each.
std::vector<std::string> comparison_sentences(const RunComparison& comparison);

/// How a measure is spread over the requests of each column's first run, with the tail drawn out.
SvgChart comparison_cdf(const RunComparison& comparison, const char* title, const char* question,
                        double (RequestRecord::*measure)() const);

/// What these runs do not say: it is not tested.
std::vector<std::string> comparison_gaps(const RunComparison& comparison);

}  // namespace pitwall
