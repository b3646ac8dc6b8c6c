// SPDX-License-Identifier: GPL-3.0-or-later
// How a hub checkpoint stores its quantised linears: config.json's `quantization_config` (or
// `compression_config`) as a WeightAssembler.
#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "engine/model/weight_binding.h"

namespace pitwall {

/// Null when the weights are plain. What is not supported is refused by its name and key; a second statement
/// in the folder (quantize_config.json) that disagrees is refused with both values.
Result<std::unique_ptr<const WeightAssembler>> make_weight_assembler(const nlohmann::json& config,
                                                                     const std::filesystem::path& folder);

}  // namespace pitwall
