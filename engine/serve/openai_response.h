// SPDX-License-Identifier: GPL-3.0-or-later
// What /v1/chat/completions and /v1/completions answer: whole replies and the pieces of a stream.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/serve/openai_request.h"
#include "engine/telemetry/records.h"

namespace pitwall {

/// The same in every chunk of a reply.
struct ResponseIdentity {
  ApiKind kind = ApiKind::chat;
  std::string id;            ///< "chatcmpl-…" or "cmpl-…"
  std::int64_t created = 0;  ///< seconds since 1970
  std::string model;
  bool token_ids = false;   ///< state the tokens
  bool null_usage = false;  ///< chunks say "usage": null, as OpenAI does where a usage chunk will follow
};

struct Usage {
  std::int32_t prompt_tokens = 0, completion_tokens = 0;
  std::int32_t cached_tokens = 0;  ///< of the prompt, not computed
};

std::string whole_response(const ResponseIdentity& identity, const std::string& text,
                           const std::vector<TokenId>& tokens, FinishReason reason, const Usage& usage);

// One JSON document each.
std::string role_chunk(const ResponseIdentity& identity);  ///< chat only
std::string text_chunk(const ResponseIdentity& identity, const std::string& text,
                       const std::vector<TokenId>& tokens);
std::string finish_chunk(const ResponseIdentity& identity, FinishReason reason);
std::string usage_chunk(const ResponseIdentity& identity, const Usage& usage);

/// GET /v1/models: the one model that is served.
std::string models_response(const std::string& model, std::int64_t created, int max_model_len);

}  // namespace pitwall
