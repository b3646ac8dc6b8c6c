// SPDX-License-Identifier: GPL-3.0-or-later
// What /v1/chat/completions and /v1/completions answer: whole replies and the pieces of a stream.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/serve/openai_request.h"
#include "engine/serve/text_frame.h"
#include "engine/step/step_plan.h"
#include "engine/telemetry/records.h"
#include "engine/text/tokenizer.h"

namespace pitwall {

/// The same in every chunk of an answer.
struct ResponseIdentity {
  ApiKind kind = ApiKind::chat;
  std::string id;            ///< "chatcmpl-…" or "cmpl-…"
  std::int64_t created = 0;  ///< seconds since 1970
  std::string model;
  bool token_ids = false;                ///< state the tokens
  bool logprobs = false;                 ///< state theirs
  bool prompt_logprobs = false;          ///< vLLM's: of the prompt
  const Tokenizer* tokenizer = nullptr;  ///< of logprobs' tokens
  /// Chunks say "usage": null, as OpenAI does where a usage chunk will follow.
  bool null_usage = false;
  std::string warning;  ///< what of the request had no effect; empty = nothing. Told once an answer
};

struct Usage {
  std::int32_t prompt_tokens = 0, completion_tokens = 0;
  std::int32_t cached_tokens = 0;  ///< of the prompts, not computed
};

/// A call of a tool as clients hear it, or more arguments of the one before: those have no id and no name.
struct AnsweredCall {
  std::string id, name, arguments;
};

/// What one choice has said, wholly or since the last chunk.
struct ChoiceText {
  std::string text;       ///< content
  std::string reasoning;  ///< chat only
  std::vector<AnsweredCall> calls;
  std::vector<TokenId> tokens;
  std::vector<PositionLogprobs> logprobs;  ///< of tokens, where asked for
  std::size_t text_offset = 0;             ///< completions: characters that the logprobs' texts begin behind
  std::vector<PositionLogprobs> prompt_logprobs;  ///< whole replies only
  std::optional<TokenId> echoed;                  ///< the prompt's first token, where the text begins with it
};

/// "stop", "length", "tool_calls" …
std::string_view finish_word(FinishReason reason, bool called_tools);

class ChunkWriter {
 public:
  /// Writes the chunks of choice `index`.
  ChunkWriter(const ResponseIdentity& identity, int index);

  // Each appends server-sent events to `out`.
  void role(std::string& out) const;  ///< chat only
  /// `usage`: so far, where the client wants it in every chunk. `first_call`: number of calls that have begun
  /// before.
  void text(std::string& out, const ChoiceText& what, std::size_t first_call,
            const std::optional<Usage>& usage) const;
  void finish(std::string& out, std::string_view reason, const std::optional<Usage>& usage) const;

 private:
  std::string chunk(nlohmann::ordered_json delta, const ChoiceText& what, std::string_view reason,
                    const std::optional<Usage>& usage) const;
  const ResponseIdentity& identity_;
  const int index_;
  const TextFrame plain_;  ///< of a chunk that has text and nothing else
};

struct AnsweredChoice {
  ChoiceText said;
  std::string_view reason;
};
/// `timings`: one object for each choice, or null.
std::string whole_response(const ResponseIdentity& identity, std::vector<AnsweredChoice> choices,
                           const Usage& usage, nlohmann::ordered_json timings);
/// The chunk behind all choices: usage, and timings where they are no null.
std::string usage_chunk(const ResponseIdentity& identity, const Usage& usage,
                        const nlohmann::ordered_json& timings);

/// Where one reply's time went, in ms, and its rates.
nlohmann::ordered_json timings_json(const RequestRecord& record);

/// GET /v1/models: the one model that is served. GET /v1/models/NAME: that alone.
std::string models_response(const std::string& model, std::int64_t created, int max_model_len);
std::string model_response(const std::string& model, std::int64_t created, int max_model_len);

}  // namespace pitwall
