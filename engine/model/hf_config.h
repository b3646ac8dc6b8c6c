// SPDX-License-Identifier: GPL-3.0-or-later
// config.json as ModelSpec.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "engine/model/model_spec.h"

namespace pitwall {

/// Errors carry the key as Error::param. Both `rope_parameters` and the older `rope_theta` + `rope_scaling`
/// are read.
Result<ModelSpec> read_hf_spec(const nlohmann::json& config);

}  // namespace pitwall
