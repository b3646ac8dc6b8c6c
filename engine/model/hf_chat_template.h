// SPDX-License-Identifier: GPL-3.0-or-later
// Where a checkpoint folder keeps its chat template.
#pragma once
#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace pitwall {

/// chat_template.jinja, or the chat_template of tokenizer_config.json; empty when there is none.
Result<std::string> read_hf_chat_template(const std::filesystem::path& folder);

}  // namespace pitwall
