// SPDX-License-Identifier: GPL-3.0-or-later
// Runs, and what one run holds, as rows of tables.
#pragma once
#include <vector>

#include "engine/store/store.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

std::vector<TableColumn> run_columns();
TableRow run_row(const RunListItem& run);  ///< key: the run's id

/// TTFT, TPOT, worst ITL, queue, end to end; a percentile without enough samples is an en dash.
std::vector<TableColumn> percentile_columns();
std::vector<TableRow> percentile_rows(const RunSummary& summary);

/// Changed ones first.
std::vector<TableColumn> config_columns();
std::vector<TableRow> config_rows(const RunHeader& header);

std::vector<TableColumn> environment_columns();
std::vector<TableRow> environment_rows(const Run& run);

/// The `most` with the longest gap between tokens. The rows always end in the error; the columns only when
/// asked.
std::vector<TableColumn> run_request_columns(bool with_errors);
std::vector<TableRow> run_request_rows(const std::vector<RequestRecord>& requests, std::size_t most);

}  // namespace pitwall::ui
