// SPDX-License-Identifier: GPL-3.0-or-later
// Runs, and what one run holds, as rows of tables.
#pragma once
#include <vector>

#include "engine/store/store.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

std::vector<TableColumn> run_columns();
/// Key: the run's id. `interrupted`: it cannot be written at present.
TableRow run_row(const RunListItem& run, bool interrupted = false);
/// What a search looks through: lower case.
QString run_search_text(const RunListItem& run, bool interrupted = false);
/// "Four steps,…seqs 12, repeat 3": cut in the middle, since runs of a sweep differ at their ends.
QString kind_name(const std::string& kind);  ///< "serve", "bench"; of another program: as it stands
/// "simulated", "imported", both, or empty: measured here.
QString run_origin(const Run& run);
QString short_name(const std::string& name);

/// TTFT, TPOT, worst ITL, queue, end to end; a percentile without enough samples is an en dash.
std::vector<TableColumn> percentile_columns();
std::vector<TableRow> percentile_rows(const Run& run);

/// Changed ones first.
std::vector<TableColumn> config_columns();
std::vector<TableRow> config_rows(const RunHeader& header);

std::vector<TableColumn> environment_columns();
/// `requests` that ended; "Not tested" is the last row.
std::vector<TableRow> environment_rows(const Run& run, std::int64_t requests);

/// In their order. The rows always end in the error; the columns only when asked.
std::vector<TableColumn> run_request_columns(bool with_errors);
std::vector<TableRow> run_request_rows(const std::vector<RequestRecord>& requests);

}  // namespace pitwall::ui
