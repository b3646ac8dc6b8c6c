// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/api_call.h"

#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/serve/chat_prompt.h"
#include "engine/serve/json_body.h"
#include "engine/serve/random_id.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

Error bad_prompt(std::string what) {
  return {.kind = Error::Kind::invalid_input,
          .what = std::move(what),
          .cause = {},
          .action = {},
          .param = "prompt"};
}

Result<std::vector<TokenId>> token_list(const Json& list, int vocabulary) {
  std::vector<TokenId> tokens;
  tokens.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_number_integer() || list[i] < 0 || list[i] >= vocabulary) {
      return bad_prompt("prompt[" + std::to_string(i) + "] is not a token id from 0 to " +
                        std::to_string(vocabulary - 1));
    }
    tokens.push_back(list[i].get<TokenId>());
  }
  return tokens;
}

/// A string, a list of token ids, or a list that holds one of these.
Result<std::vector<TokenId>> completion_prompt(const Engine& engine, const Json& prompt) {
  if (prompt.is_array() && !prompt.empty() && (prompt[0].is_string() || prompt[0].is_array())) {
    if (prompt.size() > 1) {
      return bad_prompt("prompt holds " + std::to_string(prompt.size()) +
                        " prompts; send one in each request");
    }
    if (prompt[0].is_string() || prompt[0].empty() || prompt[0][0].is_number())
      return completion_prompt(engine, prompt[0]);
  }
  if (prompt.is_array()) return token_list(prompt, engine.model().spec().vocabulary);
  if (!engine.tokenizer())
    return bad_prompt("The model has no tokenizer: send the prompt as a list of token ids");
  return engine.tokenizer()->encode(prompt.get_ref<const std::string&>(), true, true);
}

HttpReply unknown_model(const std::string& asked, const std::string& served) {
  return error_reply(404,
                     "The model " + quote_for_message(asked) + " does not exist; this server has " +
                         quote_for_message(served),
                     "model", "model_not_found");
}

/// 429, with the time after which a place may be free.
HttpReply queue_full(const Error& error, int seconds) {
  HttpReply reply = error_reply(429, error.text(), {}, "queue_full");
  reply.headers.emplace_back("Retry-After", std::to_string(seconds));
  return reply;
}

HttpReply refusal(const Error& error, ApiKind kind, const Engine& engine) {
  if (error.param == "max-waiting") return queue_full(error, engine.queue_seconds());
  if (error.param != "context_length") return error_reply(error);
  return error_reply(400, error.text(), kind == ApiKind::chat ? "messages" : "prompt",
                     "context_length_exceeded");
}

/// An end that is no reply: its HTTP status, or 0.
int failure_status(FinishReason reason) {
  if (reason == FinishReason::error) return 500;
  return reason == FinishReason::cancelled ? 503 : 0;
}

std::string failure_text(const OutputEvent& event) {
  if (event.reason == FinishReason::error) return event.error.text();
  return event.record.error.empty() ? "The request was cancelled" : event.record.error;
}

Usage usage_of(const RequestRecord& record) {
  return {record.prompt_tokens, record.output_tokens, record.cached_tokens};
}

}  // namespace

std::string sse_frame(std::string_view data) {
  return "data: " + std::string(data) + "\n\n";
}

std::string error_frame(std::string_view message, int status) {
  return sse_frame(error_body(message, status));
}

ApiCall::ApiCall(Engine& engine, ApiKind kind, std::string body, ApiCaller caller)
    : engine_(engine), body_(std::move(body)), caller_(std::move(caller)) {
  identity_.kind = kind;
  identity_.id = (kind == ApiKind::chat ? "chatcmpl-" : "cmpl-") + random_hex();
  identity_.model = engine.served_name();
}

Result<ChatPrompt> ApiCall::prompt(const Json& body) const {
  if (identity_.kind == ApiKind::chat) return chat_prompt(engine_, body);
  auto tokens = completion_prompt(engine_, body["prompt"]);
  if (!tokens) return tokens.error();
  return ChatPrompt{*std::move(tokens), {}};
}

std::optional<HttpReply> ApiCall::submit(OutputSink sink) {
  auto body = parse_json_object(body_, caller_.max_json_depth);
  if (!body) return error_reply(body.error());
  body_ = {};
  if (const auto messages = body->find("messages");
      messages != body->end() && messages->is_array() && messages->size() > caller_.max_messages) {
    return error_reply(400,
                       "There are " + std::to_string(messages->size()) + " messages; at most " +
                           std::to_string(caller_.max_messages),
                       "messages");
  }
  auto asked = parse_api_request(identity_.kind, *body);
  if (!asked) return error_reply(asked.error());
  if (!asked->model.empty() && asked->model != engine_.served_name()) {
    return unknown_model(asked->model, engine_.served_name());
  }
  auto prompt = this->prompt(*body);
  if (!prompt) return error_reply(prompt.error());

  streams_ = asked->stream;
  include_usage_ = asked->include_usage;
  identity_.created = RealClock().utc_now() / kNanosPerSecond;
  identity_.token_ids = asked->return_token_ids;
  identity_.null_usage = include_usage_;
  GenerationRequest request;
  request.prompt = std::move(prompt->tokens);
  request.parts = std::move(prompt->parts);
  request.priority = asked->priority;
  request.tenant = caller_.key.empty() ? std::move(asked->user) : caller_.key;
  request.max_waiting = caller_.max_waiting;
  request.cache_salt = std::move(asked->cache_salt);
  request.sampling = std::move(asked->sampling);
  request.ignore_eos = asked->ignore_eos;
  request.label = identity_.id;
  if (streams_) text_frame_.emplace([&](const std::string& text) { return text_chunk(identity_, text, {}); });
  auto id = engine_.submit(std::move(request), std::move(sink));
  if (!id) return refusal(id.error(), identity_.kind, engine_);
  request_ = *id;
  return std::nullopt;
}

bool ApiCall::failed(const OutputEvent& event) const {
  return event.finished && failure_status(event.reason) != 0;
}

std::string ApiCall::stream_frames(const OutputEvent& event) {
  std::string frames;
  const bool has_tokens = !event.tokens.empty() || !event.text.empty();
  if (identity_.kind == ApiKind::chat && !role_sent_ && (has_tokens || event.finished) && !failed(event)) {
    frames += sse_frame(role_chunk(identity_));
    role_sent_ = true;
  }
  // A token whose text is held back shows when its text does, unless ids are wanted.
  if (identity_.token_ids && !event.tokens.empty()) {
    frames += sse_frame(text_chunk(identity_, event.text, event.tokens));
  } else if (!event.text.empty()) {
    text_frame_->append(frames, event.text);
  }
  if (!event.finished) return frames;
  if (failed(event)) return frames + error_frame(failure_text(event), failure_status(event.reason));
  frames += sse_frame(finish_chunk(identity_, event.reason));
  if (include_usage_) frames += sse_frame(usage_chunk(identity_, usage_of(event.record)));
  return frames + sse_frame("[DONE]");
}

void ApiCall::collect(OutputEvent&& event) {
  text_ += event.text;
  tokens_.insert(tokens_.end(), event.tokens.begin(), event.tokens.end());
  if (event.finished) last_ = std::move(event);
}

HttpReply ApiCall::reply() const {
  if (failed(last_)) return error_reply(failure_status(last_.reason), failure_text(last_));
  return json_reply(whole_response(identity_, text_, tokens_, last_.reason, usage_of(last_.record)));
}

}  // namespace pitwall
