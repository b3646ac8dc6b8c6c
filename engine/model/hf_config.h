// SPDX-License-Identifier: GPL-3.0-or-later
// config.json as ModelSpec.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "engine/model/hf_families.h"

namespace pitwall {

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
