// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of parse_api_request() by what they are about. What is wrong is kept in `fields`.
#pragma once
#include "engine/serve/openai_request.h"
#include "engine/serve/request_fields.h"

namespace pitwall {

/// How tokens are chosen, reported, and when the reply ends.
SamplingParams read_sampling(RequestFields& fields, ApiKind kind);
/// response_format, and vLLM's structured_outputs (older: guided_json, guided_regex, guided_choice).
ReplyRule read_reply_rule(RequestFields& fields);
/// tools, tool_choice, parallel_tool_calls.
ToolUse read_tool_use(RequestFields& fields);

}  // namespace pitwall
