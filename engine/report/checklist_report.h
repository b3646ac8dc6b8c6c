// SPDX-License-Identifier: GPL-3.0-or-later
// A checklist as a document: what was changed, what came of it, and what is recommended, for this engine and
// others. Byte-stable: the same checklist and runs give the same bytes.
#pragma once
#include <string>
#include <vector>

#include "engine/bench/checklist.h"
#include "engine/telemetry/run.h"

namespace pitwall {

/// `results`: one for each item. Self-contained HTML, with the charts inline.
std::string checklist_html(const Checklist& checklist, const std::vector<ItemResult>& results);
std::string checklist_markdown(const Checklist& checklist, const std::vector<ItemResult>& results);
/// All of it, as parse_checklist_file reads it back, with "results" and "recommended" beside it. `runs`:
/// those that measured it, whole.
std::string checklist_json(const Checklist& checklist, const std::vector<ItemResult>& results,
                           const std::vector<Run>& runs);

}  // namespace pitwall
