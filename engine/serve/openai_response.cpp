// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/openai_response.h"

#include <nlohmann/json.hpp>

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json frame(const ResponseIdentity& identity, const char* object, Json choices) {
  Json json;
  json["id"] = identity.id;
  json["object"] = object;
  json["created"] = identity.created;
  json["model"] = identity.model;
  json["choices"] = std::move(choices);
  return json;
}

Json usage_json(const Usage& usage) {
  Json json;
  json["prompt_tokens"] = usage.prompt_tokens;
  json["completion_tokens"] = usage.completion_tokens;
  json["total_tokens"] = usage.prompt_tokens + usage.completion_tokens;
  json["prompt_tokens_details"]["cached_tokens"] = usage.cached_tokens;
  return json;
}

const char* chunk_object(ApiKind kind) {
  return kind == ApiKind::chat ? "chat.completion.chunk" : "text_completion";
}

/// `what`: delta or text. Reason none = null.
std::string chunk(const ResponseIdentity& identity, const char* key, Json what, FinishReason reason,
                  const std::vector<TokenId>& tokens = {}) {
  Json choice;
  choice["index"] = 0;
  choice[key] = std::move(what);
  choice["logprobs"] = nullptr;
  if (identity.token_ids) choice["token_ids"] = tokens;
  choice["finish_reason"] = reason == FinishReason::none ? Json() : Json(finish_reason_name(reason));
  Json json = frame(identity, chunk_object(identity.kind), Json::array({std::move(choice)}));
  if (identity.null_usage) json["usage"] = nullptr;
  return dump(json);
}

}  // namespace

std::string whole_response(const ResponseIdentity& identity, const std::string& text,
                           const std::vector<TokenId>& tokens, FinishReason reason, const Usage& usage) {
  const bool chat = identity.kind == ApiKind::chat;
  Json choice;
  choice["index"] = 0;
  if (chat) {
    choice["message"]["role"] = "assistant";
    choice["message"]["content"] = text;
  } else {
    choice["text"] = text;
  }
  choice["logprobs"] = nullptr;
  if (identity.token_ids) choice["token_ids"] = tokens;
  choice["finish_reason"] = finish_reason_name(reason);
  Json json = frame(identity, chat ? "chat.completion" : "text_completion", Json::array({std::move(choice)}));
  json["usage"] = usage_json(usage);
  return dump(json);
}

std::string role_chunk(const ResponseIdentity& identity) {
  return chunk(identity, "delta", {{"role", "assistant"}, {"content", ""}}, FinishReason::none);
}

std::string text_chunk(const ResponseIdentity& identity, const std::string& text,
                       const std::vector<TokenId>& tokens) {
  if (identity.kind == ApiKind::chat)
    return chunk(identity, "delta", {{"content", text}}, FinishReason::none, tokens);
  return chunk(identity, "text", text, FinishReason::none, tokens);
}

std::string finish_chunk(const ResponseIdentity& identity, FinishReason reason) {
  if (identity.kind == ApiKind::chat) return chunk(identity, "delta", Json::object(), reason);
  return chunk(identity, "text", "", reason);
}

std::string usage_chunk(const ResponseIdentity& identity, const Usage& usage) {
  Json json = frame(identity, chunk_object(identity.kind), Json::array());
  json["usage"] = usage_json(usage);
  return dump(json);
}

std::string models_response(const std::string& model, std::int64_t created, int max_model_len) {
  Json entry;
  entry["id"] = model;
  entry["object"] = "model";
  entry["created"] = created;
  entry["owned_by"] = "pitwall";
  entry["max_model_len"] = max_model_len;
  Json json;
  json["object"] = "list";
  json["data"] = Json::array({std::move(entry)});
  return dump(json);
}

}  // namespace pitwall
