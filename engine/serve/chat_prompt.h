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
  bool opens_reasoning = false;   ///< it ends with <think>: the reply goes on inside
};

/// `request`: what the body of /v1/chat/completions says about the prompt.
/// - messages: a list of {"role", "content"} where content is a string or a list of text parts;
/// - tools, documents: handed to the template; with tools it is the model's "tool_use", where there is one;
/// - chat_template_kwargs: further variables of the template;
/// - add_generation_prompt: true when absent; continue_final_message: the prompt ends with the last message's
///   text, without what ends its turn.
/// Errors carry the name of the field in Error::param.
Result<ChatPrompt> chat_prompt(const Engine& engine, const nlohmann::ordered_json& request);
/// The same for a JSON text of messages, for callers without a JSON type.
Result<ChatPrompt> chat_prompt_json(const Engine& engine, const std::string& messages_json);

}  // namespace pitwall
