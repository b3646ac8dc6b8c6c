// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that other tools measured, from their files.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/base/result.h"
#include "engine/telemetry/run.h"

namespace pitwall {

/// Of `vllm bench serve --save-result`: its requests where it was written with --save-detailed, else its
/// figures alone. Throws nlohmann's exceptions and JsonFieldError.
Run run_of_vllm(const nlohmann::ordered_json& document);

/// Of AIPerf's profile_export.jsonl. The error names the line.
Result<Run> run_of_aiperf(const std::string& lines);

}  // namespace pitwall
