// SPDX-License-Identifier: GPL-3.0-or-later
// A checklist from a file: with its items, verdicts and runs, as checklist_json wrote them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/telemetry/checklist.h"
#include "engine/telemetry/run.h"

namespace pitwall {

inline constexpr const char* kChecklistFormat = "pitwall-checklist";
inline constexpr std::int64_t kChecklistFormatVersion = 1;

struct ImportedChecklist {
  Checklist checklist;
  std::vector<Run> runs;
};

/// By how it begins: a file's first hundred bytes are enough.
bool looks_like_checklist(std::string_view text);

/// An export of a checklist, or one written by hand as those of profiles/checklists, which has no runs and
/// gets the file's sum as its uuid. `name`: of the file. The error says what is wrong and where.
Result<ImportedChecklist> parse_checklist_file(const std::string& text, const std::string& name);

}  // namespace pitwall
