// SPDX-License-Identifier: GPL-3.0-or-later
// Messages → prompt tokens, the same way for HTTP, the chat page and the command line.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/telemetry/records.h"

namespace pitwall {

class Engine;

struct ChatPrompt {
  std::vector<TokenId> tokens;
  std::vector<PromptPart> parts;  ///< which message each piece of it comes from
};

/// `messages`: JSON array of {"role", "content"} where content is a string or a list of text parts. Errors
/// carry Error::param "messages".
Result<ChatPrompt> chat_prompt(const Engine& engine, const nlohmann::ordered_json& messages);
/// The same from JSON text, for callers without a JSON type.
Result<ChatPrompt> chat_prompt_json(const Engine& engine, const std::string& messages_json);

}  // namespace pitwall
