// SPDX-License-Identifier: GPL-3.0-or-later
// Checklists as files: reports and exports out, exports in. No widgets: for a thread that may wait.
#pragma once
#include <QString>

#include "engine/bench/checklist.h"
#include "engine/store/store.h"

namespace pitwall::ui {

/// By how the file begins; false where it cannot be read.
bool is_checklist_file(const QString& path);

/// With its runs. One that is here already: Error::busy, `param` is its number.
Result<Checklist> import_checklist_file(Store& store, const QString& path, const std::string& text);

/// The report as .html or .md, or all of it, runs included, as .json. Error::param is "file" where the name
/// ends in something else.
Result<void> write_checklist_file(const Store& store, const Checklist& checklist,
                                  const std::vector<ItemResult>& results, const QString& path);

}  // namespace pitwall::ui
