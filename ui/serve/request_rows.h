// SPDX-License-Identifier: GPL-3.0-or-later
// Requests as rows of a table: one for each, live ones first.
#pragma once
#include <vector>

#include "engine/telemetry/snapshot.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

std::vector<TableColumn> request_columns();
std::vector<TableRow> request_rows(const Snapshot& snapshot);

}  // namespace pitwall::ui
