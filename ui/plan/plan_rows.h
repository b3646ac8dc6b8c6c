// SPDX-License-Identifier: GPL-3.0-or-later
// Alternatives as rows of a table.
#pragma once
#include <vector>

#include "ui/plan/alternatives.h"
#include "ui/widgets/data_table.h"

namespace pitwall::ui {

std::vector<TableColumn> alternative_columns();
std::vector<TableRow> alternative_rows(const Alternatives& alternatives);

/// "requests at once 48 → 43"
QString fix_text(const Fix& fix);
/// Requests at once that were asked for.
int requests_asked(const Deployment& deployment);

}  // namespace pitwall::ui
