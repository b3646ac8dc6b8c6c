// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of runs as rows of tables and as sentences.
#pragma once
#include <QStringList>
#include <vector>

#include "engine/report/run_comparison.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

QString column_title(const ComparedColumn& column);  ///< "R-0145", "R-0145 +2"

/// Of many runs each has one column, and its effects stand below its values: rows are in pairs.
bool effects_below(const RunComparison& comparison);
std::vector<TableColumn> compared_columns(const RunComparison& comparison);
std::vector<TableRow> compared_rows(const RunComparison& comparison);

/// Settings, load and environment that differ.
std::vector<TableColumn> differing_columns(const RunComparison& comparison);
std::vector<TableRow> differing_rows(const RunComparison& comparison);

/// Model, device, workload, samples; "Not tested" is the last row.
std::vector<TableColumn> condition_columns(const RunComparison& comparison);
std::vector<TableRow> condition_rows(const RunComparison& comparison);

/// "simulated", "R-0003: imported; R-0027: recording"; empty: all were measured here and ended well.
QString comparison_origin(const RunComparison& comparison);

/// "The worst gap fell from 318 to 31 ms": what moved most and clearly; else that nothing did.
QString comparison_headline(const RunComparison& comparison);
/// What else is better and what is worse, of the last column against the first.
QString comparison_detail(const RunComparison& comparison);

}  // namespace pitwall::ui
