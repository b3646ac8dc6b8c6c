// SPDX-License-Identifier: GPL-3.0-or-later
// The tokenizer's files beside config.json, and the special ids that the configuration names.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "engine/model/model.h"

namespace pitwall {

/// tokenizer.json where there is one, else tokenizer.model (SentencePiece); special ids from config.json and
/// generation_config.json.
Result<VocabularyData> read_hf_vocabulary(const std::filesystem::path& folder, const nlohmann::json& config,
                                          int vocabulary_size);

}  // namespace pitwall
