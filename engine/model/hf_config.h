// SPDX-License-Identifier: GPL-3.0-or-later
// config.json and its companions as ModelSpec and VocabularyData.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/model/model.h"

namespace pitwall {

/// Errors carry the key as Error::param. Both `rope_parameters` and the older `rope_theta` + `rope_scaling`
/// are read.
Result<ModelSpec> read_hf_spec(const nlohmann::json& config);

/// tokenizer.json beside config.json where there is one; special ids from config.json and
/// generation_config.json.
Result<VocabularyData> read_hf_vocabulary(const std::filesystem::path& folder, const nlohmann::json& config,
                                          int vocabulary_size);

/// chat_template.jinja, or the chat_template of tokenizer_config.json; empty when there is none.
Result<std::string> read_hf_chat_template(const std::filesystem::path& folder);

}  // namespace pitwall
