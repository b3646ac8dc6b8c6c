// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/openai_response.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/serve/logprobs_json.h"
#include "engine/serve/sse.h"
#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

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

/// Of a whole reply.
Json calls_json(const std::vector<AnsweredCall>& calls) {
  Json list = Json::array();
  for (const AnsweredCall& call : calls) {
    list.push_back({{"id", call.id},
                    {"type", "function"},
                    {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  return list;
}

/// Of a chunk: who a call is comes with its beginning alone. `begun`: number of calls before.
Json call_pieces_json(const std::vector<AnsweredCall>& calls, std::size_t begun) {
  Json list = Json::array();
  for (const AnsweredCall& call : calls) {
    Json json;
    if (call.id.empty()) {
      json["index"] = begun - 1;
      json["function"]["arguments"] = call.arguments;
    } else {
      json["index"] = begun++;
      json["id"] = call.id;
      json["type"] = "function";
      json["function"] = {{"name", call.name}, {"arguments", call.arguments}};
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json logprobs_of(const ResponseIdentity& identity, const ChoiceText& what) {
  if (!identity.logprobs || (what.logprobs.empty() && !what.echoed)) return nullptr;
  if (identity.kind == ApiKind::chat) return chat_logprobs(*identity.tokenizer, what.logprobs);
  Json lists = completion_logprobs(*identity.tokenizer, what.logprobs, what.text_offset);
  if (what.echoed) put_prompt_first(lists, *identity.tokenizer, *what.echoed, what.prompt_logprobs);
  return lists;
}

Json model_json(const std::string& model, std::int64_t created, int max_model_len) {
  Json entry;
  entry["id"] = model;
  entry["object"] = "model";
  entry["created"] = created;
  entry["owned_by"] = "pitwall";
  entry["max_model_len"] = max_model_len;
  return entry;
}

}  // namespace

std::string_view finish_word(FinishReason reason, bool called_tools) {
  if (called_tools && reason == FinishReason::stop) return "tool_calls";
  return finish_reason_name(reason);
}

ChunkWriter::ChunkWriter(const ResponseIdentity& identity, int index)
    : identity_(identity), index_(index), plain_([&](const std::string& text) {
        return chunk(identity.kind == ApiKind::chat ? Json{{"content", text}} : Json(text), {}, {},
                     std::nullopt);
      }) {}

std::string ChunkWriter::chunk(Json delta, const ChoiceText& what, std::string_view reason,
                               const std::optional<Usage>& usage) const {
  Json choice;
  choice["index"] = index_;
  choice[identity_.kind == ApiKind::chat ? "delta" : "text"] = std::move(delta);
  choice["logprobs"] = logprobs_of(identity_, what);
  if (identity_.token_ids) choice["token_ids"] = what.tokens;
  choice["finish_reason"] = reason.empty() ? Json() : Json(reason);
  Json json = frame(identity_, chunk_object(identity_.kind), Json::array({std::move(choice)}));
  if (usage) {
    json["usage"] = usage_json(*usage);
  } else if (identity_.null_usage) {
    json["usage"] = nullptr;
  }
  return dump_json(json);
}

void ChunkWriter::role(std::string& out) const {
  std::string first = chunk({{"role", "assistant"}, {"content", ""}}, {}, {}, std::nullopt);
  if (!identity_.warning.empty()) {
    Json json = Json::parse(first);
    json["warnings"] = Json::array({identity_.warning});
    first = dump_json(json);
  }
  append_sse_frame(out, first);
}

void ChunkWriter::text(std::string& out, const ChoiceText& what, std::size_t first_call,
                       const std::optional<Usage>& usage) const {
  const bool plain =
      what.reasoning.empty() && what.calls.empty() && what.logprobs.empty() && !usage && !identity_.token_ids;
  if (plain) return plain_.append(out, what.text);
  if (identity_.kind == ApiKind::completion) return append_sse_frame(out, chunk(what.text, what, {}, usage));
  Json delta = Json::object();
  if (!what.reasoning.empty()) delta["reasoning_content"] = what.reasoning;
  if (!what.text.empty() || (what.reasoning.empty() && what.calls.empty())) delta["content"] = what.text;
  if (!what.calls.empty()) delta["tool_calls"] = call_pieces_json(what.calls, first_call);
  append_sse_frame(out, chunk(std::move(delta), what, {}, usage));
}

void ChunkWriter::finish(std::string& out, std::string_view reason, const std::optional<Usage>& usage) const {
  Json delta = identity_.kind == ApiKind::chat ? Json::object() : Json("");
  append_sse_frame(out, chunk(std::move(delta), {}, reason, usage));
}

std::string whole_response(const ResponseIdentity& identity, std::vector<AnsweredChoice> choices,
                           const Usage& usage, Json timings) {
  const bool chat = identity.kind == ApiKind::chat;
  Json list = Json::array();
  for (AnsweredChoice& answered : choices) {
    ChoiceText& said = answered.said;
    Json choice;
    choice["index"] = list.size();
    if (chat) {
      Json message;
      message["role"] = "assistant";
      const bool calls_alone = said.text.empty() && !said.calls.empty();
      message["content"] = calls_alone ? Json() : Json(std::move(said.text));
      if (!said.reasoning.empty()) message["reasoning_content"] = std::move(said.reasoning);
      if (!said.calls.empty()) message["tool_calls"] = calls_json(said.calls);
      choice["message"] = std::move(message);
    } else {
      choice["text"] = std::move(said.text);
    }
    choice["logprobs"] = logprobs_of(identity, said);
    if (identity.prompt_logprobs)
      choice["prompt_logprobs"] = prompt_logprobs_json(*identity.tokenizer, said.prompt_logprobs);
    if (identity.token_ids) choice["token_ids"] = said.tokens;
    choice["finish_reason"] = answered.reason;
    list.push_back(std::move(choice));
  }
  Json json = frame(identity, chat ? "chat.completion" : "text_completion", std::move(list));
  json["usage"] = usage_json(usage);
  if (!timings.is_null()) json["timings"] = std::move(timings);
  if (!identity.warning.empty()) json["warnings"] = Json::array({identity.warning});
  return dump_json(json);
}

std::string usage_chunk(const ResponseIdentity& identity, const Usage& usage, const Json& timings) {
  Json json = frame(identity, chunk_object(identity.kind), Json::array());
  json["usage"] = usage_json(usage);
  if (!timings.is_null()) json["timings"] = timings;
  return dump_json(json);
}

Json timings_json(const RequestRecord& record) {
  const auto rate = [](double tokens, double ms) { return number(tokens > 0 ? 1000 * tokens / ms : NAN); };
  Json json;
  json["queue_ms"] = number(record.queue_ms());
  json["prefill_ms"] = number(record.prefill_ms());
  json["ttft_ms"] = number(record.ttft_ms());
  json["decode_ms"] = number(record.decode_ms());
  json["tpot_ms"] = number(record.tpot_ms());
  json["e2e_ms"] = number(record.e2e_ms());
  json["preempted_ms"] = number(record.preempted_ms());
  json["cached_tokens"] = record.cached_tokens;
  json["preemptions"] = record.preemptions;
  json["prompt_per_second"] = rate(record.prompt_tokens - record.cached_tokens, record.prefill_ms());
  json["predicted_per_second"] = rate(record.output_tokens - 1, record.decode_ms());
  return json;
}

std::string models_response(const std::string& model, std::int64_t created, int max_model_len) {
  return dump_json({{"object", "list"}, {"data", Json::array({model_json(model, created, max_model_len)})}});
}

std::string model_response(const std::string& model, std::int64_t created, int max_model_len) {
  return dump_json(model_json(model, created, max_model_len));
}

}  // namespace pitwall
