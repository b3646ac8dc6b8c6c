// SPDX-License-Identifier: GPL-3.0-or-later
// Messages → prompt tokens, the same way for HTTP, the chat page and the command line.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace pitwall {

class Engine;

/// `messages`: JSON array of {"role", "content"} where content is a string or a list of text parts. Errors
/// carry Error::param "messages".
Result<std::vector<TokenId>> chat_prompt(const Engine& engine, const nlohmann::ordered_json& messages);
/// The same from JSON text, for callers without a JSON type.
Result<std::vector<TokenId>> chat_prompt_json(const Engine& engine, const std::string& messages_json);

}  // namespace pitwall
