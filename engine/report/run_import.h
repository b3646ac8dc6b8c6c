// SPDX-License-Identifier: GPL-3.0-or-later
// A run from a file: what Pitwall exported, or what another tool measured.
#pragma once
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/telemetry/run.h"

namespace pitwall {

/// Our JSON, whole and equal; the JSON of `vllm bench serve` or `pitwallctl bench`; or AIPerf's JSON lines:
/// as a run of kind "imported" with what they hold. Tells them apart by their content. A run that has no uuid
/// gets the file's sum as one. `name`: of the file; names a foreign run. The error says what is wrong and
/// where.
Result<Run> parse_run_file(const std::string& text, const std::string& name);

}  // namespace pitwall
