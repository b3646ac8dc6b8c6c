// SPDX-License-Identifier: GPL-3.0-or-later
// Checklists to start from (profiles/checklists), each with its source.
#pragma once
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/telemetry/checklist.h"

namespace pitwall {

/// A checklist as JSON: the names of engine/telemetry/fields.h, `settings` as an object. Items without an id
/// are numbered from 1. The error names the key, or the setting with its value.
Result<Checklist> parse_checklist(std::string_view json);

const std::vector<Checklist>& checklist_templates();  ///< the embedded ones; `origin` is the file's name
/// By origin; the error lists those that exist.
Result<Checklist> find_checklist_template(std::string_view origin);

}  // namespace pitwall
