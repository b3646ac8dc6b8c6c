// SPDX-License-Identifier: GPL-3.0-or-later
// Logprobs as the two OpenAI routes and vLLM's prompt_logprobs print them.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/serve/openai_request.h"
#include "engine/step/step_plan.h"
#include "engine/text/tokenizer.h"

namespace pitwall {

/// JSON has no −∞: what was impossible is printed so, as vLLM does.
inline constexpr double kLeastLogprob = -9999;

/// Chat: {"content": [{"token", "logprob", "bytes", "top_logprobs"}]}; `positions` of the reply alone.
nlohmann::ordered_json chat_logprobs(const Tokenizer& tokenizer, std::span<const PositionLogprobs> positions);

/// Completions: {"tokens", "token_logprobs", "top_logprobs", "text_offset"}. `offset`: characters of the
/// choice's text before these.
nlohmann::ordered_json completion_logprobs(const Tokenizer& tokenizer,
                                           std::span<const PositionLogprobs> positions, std::size_t offset);
/// Characters of the tokens' texts: how far text_offset moves over them.
std::size_t text_characters(const Tokenizer& tokenizer, std::span<const PositionLogprobs> positions);
/// Puts the prompt's tokens in front, for echo; the first has no logprob.
void put_prompt_first(nlohmann::ordered_json& logprobs, const Tokenizer& tokenizer, TokenId first,
                      std::span<const PositionLogprobs> rest);

/// vLLM's prompt_logprobs: null, then for each token {"id": {"logprob", "rank", "decoded_token"}}.
nlohmann::ordered_json prompt_logprobs_json(const Tokenizer& tokenizer,
                                            std::span<const PositionLogprobs> positions);

}  // namespace pitwall
