// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/text_routes.h"

#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/serve/chat_prompt.h"
#include "engine/serve/engine.h"
#include "engine/serve/json_body.h"
#include "engine/serve/request_fields.h"
#include "engine/text/detokenizer.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

HttpReply no_tokenizer() {
  return error_reply(400, "The model has no tokenizer", "prompt", "unsupported_value");
}

std::optional<HttpReply> wrong_model(const Engine& engine, RequestFields& fields) {
  const auto model = fields.text("model");
  if (!model || *model == engine.served_name()) return std::nullopt;
  return error_reply(404, "The model " + quote_for_message(*model) + " does not exist", "model",
                     "model_not_found");
}

/// A part of a character shows as U+FFFD.
std::string token_text(const Tokenizer& tokenizer, TokenId token) {
  return replace_invalid_utf8(tokenizer.bytes_of(token));
}

Result<std::vector<TokenId>> tokens_of(const Engine& engine, const Json& body, RequestFields& fields) {
  if (fields.any("messages") != nullptr) {
    auto prompt = chat_prompt(engine, body);
    if (!prompt) return prompt.error();
    return std::move(prompt->tokens);
  }
  const auto text = fields.text("prompt");
  const bool add_special = fields.flag("add_special_tokens").value_or(true);
  if (fields.error()) return *fields.error();
  if (!text) {
    return Error{.kind = Error::Kind::invalid_input,
                 .what = "There is neither a prompt nor messages",
                 .cause = {},
                 .action = {},
                 .param = "prompt"};
  }
  return engine.tokenizer()->encode(*text, add_special, true);
}

}  // namespace

HttpReply tokenize_route(const RouteInput& input) {
  const Engine& engine = input.engine;
  const auto body = parse_json_object(input.body, input.options.max_json_depth);
  if (!body) return error_reply(body.error());
  RequestFields fields(*body);
  if (auto refusal = wrong_model(engine, fields)) return *std::move(refusal);
  if (!engine.tokenizer()) return no_tokenizer();
  const auto tokens = tokens_of(engine, *body, fields);
  if (!tokens) return error_reply(tokens.error());
  const bool with_text = fields.flag("return_token_strs").value_or(false);
  if (fields.error()) return error_reply(*fields.error());
  Json json;
  json["count"] = tokens->size();
  json["max_model_len"] = engine.max_model_len();
  json["tokens"] = *tokens;
  json["token_strs"] = nullptr;
  if (with_text) {
    json["token_strs"] = Json::array();
    for (const TokenId token : *tokens) json["token_strs"].push_back(token_text(*engine.tokenizer(), token));
  }
  return json_reply(json.dump());
}

HttpReply detokenize_route(const RouteInput& input) {
  const Engine& engine = input.engine;
  const auto body = parse_json_object(input.body, input.options.max_json_depth);
  if (!body) return error_reply(body.error());
  RequestFields fields(*body);
  if (auto refusal = wrong_model(engine, fields)) return *std::move(refusal);
  if (!engine.tokenizer()) return no_tokenizer();
  const Json* tokens = fields.any("tokens");
  if (tokens == nullptr || !tokens->is_array())
    return error_reply(400, "tokens is not a list of token ids", "tokens");
  const int vocabulary = engine.tokenizer()->size();
  std::vector<TokenId> ids;
  ids.reserve(tokens->size());
  for (const Json& token : *tokens) {
    if (!token.is_number_integer() || token < 0 || token >= vocabulary) {
      return error_reply(
          400, "tokens has an element that is not a token id from 0 to " + std::to_string(vocabulary - 1),
          "tokens");
    }
    ids.push_back(token.get<TokenId>());
  }
  return json_reply(Json{{"prompt", decode(engine.tokenizer(), ids, false)}}.dump());
}

}  // namespace pitwall
