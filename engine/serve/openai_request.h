// SPDX-License-Identifier: GPL-3.0-or-later
// The bodies of /v1/chat/completions and /v1/completions, checked field by field. Text is not tokenized here.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/step/sampling_params.h"

namespace pitwall {

enum class ApiKind : std::uint8_t { chat, completion };

/// What a reply must be, whatever the model would rather say.
struct ReplyRule {
  enum class Kind : std::uint8_t { free, json_object, json_schema, regex, choice };
  Kind kind = Kind::free;
  std::string text;                  ///< JSON text of the schema, or the pattern
  std::vector<std::string> choices;  ///< the reply is one of these
};

/// Which tools the model may or must call.
struct ToolUse {
  enum class Choice : std::uint8_t { none, automatic, required, named };
  Choice choice = Choice::none;
  std::string only;      ///< named
  std::string tools;     ///< the request's list, as JSON text; empty without one
  bool parallel = true;  ///< more than one call in a reply
};

struct ApiRequest {
  std::string model;        ///< empty: whatever is served
  SamplingParams sampling;  ///< end_tokens: stop_token_ids; a seed is drawn when none is given
  int choices = 1;          ///< n: replies to each prompt
  bool ignore_eos = false;
  bool keep_special = false;  ///< skip_special_tokens: false
  bool echo = false;          ///< completions: the prompt before the reply
  bool stream = false;
  bool include_usage = false;     ///< stream_options
  bool continuous_usage = false;  ///< stream_options: usage so far in every chunk
  bool return_token_ids = false;  ///< vLLM's extension: token_ids beside the text
  bool timings = false;           ///< ours: where the time went, beside usage
  bool include_reasoning = true;  ///< vLLM's: false leaves reasoning out of the answer
  ReplyRule rule;
  ToolUse tools;
  int priority = 0;        ///< vLLM's: lower goes first under scheduling-policy priority
  std::string cache_salt;  ///< vLLM's: prompts with different salts share no cached prefix
  std::string user;        ///< OpenAI's: for whom; scheduling-policy fair shares between users
};

inline constexpr int kMostChoices = 128;  ///< n times the number of prompts

/// Unknown fields are ignored. A known field with a wrong type or value, or one that this server does not
/// provide and that asks for other output, is an error whose param names it.
Result<ApiRequest> parse_api_request(ApiKind kind, const nlohmann::ordered_json& body);

}  // namespace pitwall
