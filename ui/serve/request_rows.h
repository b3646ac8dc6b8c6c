// SPDX-License-Identifier: GPL-3.0-or-later
// Requests as rows of a table: one for each, live ones first.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/telemetry/snapshot.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

std::vector<TableColumn> request_columns();
/// The first `most` of them.
std::vector<TableRow> request_rows(const Snapshot& snapshot, std::size_t most = SIZE_MAX);

}  // namespace pitwall::ui
