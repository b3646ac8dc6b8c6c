// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a JSON value: the document of its export, and a part of a checklist's. For .cpp files that include
// nlohmann/json.hpp.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "engine/base/result.h"
#include "engine/telemetry/run.h"

namespace pitwall {

nlohmann::ordered_json run_document(const Run& run);

/// The error names the key; Error::param is it.
Result<Run> run_of_document(const nlohmann::ordered_json& document);

}  // namespace pitwall
