// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/http_fixture.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace pitwall::test {

namespace {

/// The output thread writes a request's end down after the engine thread has let go of it.
bool all_ended(const std::vector<RequestRecord>& requests) {
  return std::ranges::none_of(requests, [](const auto& one) { return one.finish == FinishReason::none; });
}

}  // namespace

HttpFixture::HttpFixture(SettingList settings, HttpOptions options, const TinyModel& model) {
  SettingList all = {{"dtype", "float32"}, {"kv-cache-memory-bytes", "32MiB"}};
  all.insert(all.end(), settings.begin(), settings.end());
  engine_ = start_engine(write_tiny_model(folder_.path(), model), all);
  options.port = 0;
  auto server = HttpServer::start(*engine_, options);
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().text().c_str());
    std::abort();
  }
  server_ = *std::move(server);
}

bool HttpFixture::at_rest() {
  const auto now = engine_->snapshot();
  return now->running == 0 && now->waiting == 0 && now->ledger.kv_used == 0 &&
         now->ledger.kv_quarantined == 0 && all_ended(engine_->recorder().last_requests(1));
}

Json chat_body(const std::string& user, Json fields) {
  Json body{{"model", "tiny"}, {"messages", {{{"role", "user"}, {"content", user}}}}, {"temperature", 0}};
  body.update(fields);
  return body;
}

Completion read_whole(const RawReply& reply) {
  Completion result;
  result.status = reply.status;
  const Json json = Json::parse(reply.body, nullptr, false);
  if (reply.status != 200 || !json.is_object()) {
    result.problem = "no reply: " + reply.body;
    return result;
  }
  const Json& choice = json["choices"][0];
  result.id = json["id"];
  result.text = choice.contains("message") ? choice["message"]["content"] : choice["text"];
  result.finish_reason = choice["finish_reason"];
  if (choice.contains("token_ids")) result.tokens = choice["token_ids"].get<std::vector<int>>();
  result.usage = json["usage"];
  return result;
}

namespace {

/// Adds one chunk to `result`; returns what is wrong with it, or nothing.
std::string take_chunk(const Json& chunk, Completion& result, Json& identity) {
  const Json mine = {chunk["id"], chunk["created"], chunk["model"], chunk["object"]};
  if (identity.is_null()) identity = mine;
  if (identity != mine) return "the chunks disagree about id, created, model or object";
  result.id = chunk["id"];
  if (chunk["choices"].empty()) {
    if (result.finish_reason.empty()) return "usage came before the finish reason";
    result.usage = chunk["usage"];
    return {};
  }
  const Json& choice = chunk["choices"][0];
  if (!result.finish_reason.empty()) return "a choice came after the finish reason";
  if (choice.contains("delta")) {
    const Json& delta = choice["delta"];
    const bool first = result.problem == "no chunk yet";
    if (first != delta.contains("role")) return "the role must come first and once";
    if (delta.contains("content")) result.text += delta["content"].get<std::string>();
  } else {
    result.text += choice["text"].get<std::string>();
  }
  result.problem.clear();
  if (choice.contains("token_ids")) {
    for (const Json& token : choice["token_ids"]) result.tokens.push_back(token);
  }
  if (!choice["finish_reason"].is_null()) result.finish_reason = choice["finish_reason"];
  return {};
}

Completion with_problem(Completion completion, const std::string& problem) {
  completion.problem = problem;
  return completion;
}

}  // namespace

Completion read_stream(const RawReply& reply) {
  Completion result;
  result.status = reply.status;
  auto headers = reply.headers;
  if (reply.status != 200 || headers["content-type"] != "text/event-stream") {
    result.problem = "no stream: " + reply.body;
    return result;
  }
  result.problem = "no chunk yet";
  Json identity;
  bool done = false;
  for (const std::string& data : sse_data(reply.body)) {
    if (done) return with_problem(std::move(result), "something came after [DONE]");
    done = data == "[DONE]";
    if (done) continue;
    const Json chunk = Json::parse(data, nullptr, false);
    if (chunk.is_discarded() || !chunk.contains("choices")) {
      return with_problem(std::move(result), "not a chunk: " + data);
    }
    if (auto problem = take_chunk(chunk, result, identity); !problem.empty()) {
      return with_problem(std::move(result), problem);
    }
  }
  if (!done) result.problem = "the stream has no [DONE]";
  return result;
}

Completion complete(int port, const std::string& target, Json body, bool stream) {
  body["stream"] = stream;
  if (stream) body["stream_options"] = {{"include_usage", true}};
  const RawReply reply = post(port, target, body.dump());
  return stream ? read_stream(reply) : read_whole(reply);
}

}  // namespace pitwall::test
