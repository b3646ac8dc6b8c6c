// SPDX-License-Identifier: GPL-3.0-or-later
// A compared recipe as rows of a table, and in words.
#pragma once
#include <vector>

#include "engine/bench/recipe_comparison.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

std::vector<TableColumn> recipe_columns();
std::vector<TableRow> recipe_rows(const std::vector<ComparedStep>& steps);  ///< keys: places from 0
/// What the gains are against, how far they go by source and simulation, and for which steps the source has
/// no throughput.
QString recipe_summary(const std::vector<ComparedStep>& steps);

}  // namespace pitwall::ui
