// SPDX-License-Identifier: GPL-3.0-or-later
// The bodies of /v1/chat/completions and /v1/completions, checked field by field. Text is not tokenized here.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "engine/base/result.h"
#include "engine/step/sampling_params.h"

namespace pitwall {

enum class ApiKind : std::uint8_t { chat, completion };

struct ApiRequest {
  std::string model;        ///< empty: whatever is served
  SamplingParams sampling;  ///< end_tokens: stop_token_ids; a seed is drawn when none is given
  bool ignore_eos = false;
  bool stream = false;
  bool include_usage = false;     ///< stream_options
  bool return_token_ids = false;  ///< vLLM's extension: token_ids beside the text
  int priority = 0;               ///< vLLM's: lower goes first under scheduling-policy priority
  std::string cache_salt;         ///< vLLM's: prompts with different salts share no cached prefix
  std::string user;               ///< OpenAI's: for whom; scheduling-policy fair shares between users
};

/// Unknown fields are ignored. A known field with a wrong type or value, or one that this server does not
/// provide and that asks for other output, is an error whose param names it.
Result<ApiRequest> parse_api_request(ApiKind kind, const nlohmann::ordered_json& body);

}  // namespace pitwall
