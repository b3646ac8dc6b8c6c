// SPDX-License-Identifier: GPL-3.0-or-later
// config.json as ModelSpec.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "engine/model/hf_families.h"

namespace pitwall {

/// A folder's config.json, from its text. What hf_quant_config.json says beside it (NVIDIA ModelOpt) stands
/// under `quantization_config`.
Result<nlohmann::json> parse_hf_config(std::string_view text, const std::filesystem::path& folder);

/// The language model of config.json: its family, and the object that describes it, which lies under
/// `text_config` where the checkpoint also sees or hears.
struct HfConfig {
  const HfFamily* family = nullptr;
  const nlohmann::json* text = nullptr;  ///< into the config
  bool multimodal = false;
};
Result<HfConfig> find_hf_config(const nlohmann::json& config);

/// Errors carry the key as Error::param. Both `rope_parameters` and the older `rope_theta` + `rope_scaling`
/// are read.
Result<ModelSpec> read_hf_spec(const nlohmann::json& config);

}  // namespace pitwall
