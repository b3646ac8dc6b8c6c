// SPDX-License-Identifier: GPL-3.0-or-later
// A checklist as a document: what was changed, what came of it, and what is recommended, for this engine and
// others. Byte-stable: the same checklist and runs give the same bytes.
#pragma once
#include <string>
#include <vector>

#include "engine/bench/checklist.h"

namespace pitwall {

/// `results`: one for each item. Self-contained HTML, with the charts inline.
std::string checklist_html(const Checklist& checklist, const std::vector<ItemResult>& results);
std::string checklist_markdown(const Checklist& checklist, const std::vector<ItemResult>& results);
/// The checklist as parse_checklist reads it, with "results" and "recommended" beside it.
std::string checklist_json(const Checklist& checklist, const std::vector<ItemResult>& results);

}  // namespace pitwall
