// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/http_routes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/serve/build_info.h"
#include "engine/serve/engine.h"
#include "engine/serve/json_body.h"
#include "engine/serve/metrics_text.h"
#include "engine/serve/openai_response.h"
#include "engine/serve/request_fields.h"
#include "engine/serve/text_routes.h"
#include "engine/telemetry/fields.h"

namespace pitwall {

namespace {

constexpr int kMostRecords = 10'000;

HttpReply models(const RouteInput& input) {
  return json_reply(models_response(input.engine.served_name(), input.engine.started_utc() / kNanosPerSecond,
                                    input.engine.max_model_len()));
}

HttpReply one_model(const RouteInput& input) {
  const std::string name = percent_decode(input.query), &served = input.engine.served_name();
  if (name != served) return unknown_model(name, served);
  return json_reply(
      model_response(served, input.engine.started_utc() / kNanosPerSecond, input.engine.max_model_len()));
}

/// Alive: false only once the engine has failed, which a new process alone can mend. A server that drains is
/// alive, so that nobody ends it early.
HttpReply health(const RouteInput& input) {
  if (const auto failure = input.engine.failure())
    return error_reply(503, "The engine has failed", {}, "engine_failed");
  return json_reply(R"({"status":"ok"})");
}

/// Ready: new requests are taken.
HttpReply ready(const RouteInput& input) {
  const EngineState state = input.engine.state();
  if (state == EngineState::serving) return json_reply(R"({"status":"ok"})");
  return error_reply(503, "The engine is " + std::string(engine_state_name(state)), {}, "not_ready");
}

HttpReply load(const RouteInput& input) {
  const auto now = input.engine.snapshot();
  return json_reply(nlohmann::ordered_json{{"server_load", now->running + now->waiting}}.dump());
}

HttpReply metrics(const RouteInput& input) {
  return {.status = 200,
          .content_type = "text/plain; version=0.0.4; charset=utf-8",
          .body = metrics_text(input.engine, input.statistics),
          .headers = {}};
}

HttpReply snapshot(const RouteInput& input) {
  return json_reply(snapshot_json(*input.engine.snapshot()));
}

/// What stands behind "key=" in a query; nothing where it does not.
std::optional<std::string_view> query_value(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.starts_with(key) && pair.substr(key.size()).starts_with('=')) return pair.substr(key.size() + 1);
  }
  return std::nullopt;
}

/// The value of "last=N" in a query; `fallback` without one, nothing when it is no count.
std::optional<std::size_t> last_count(std::string_view query, std::size_t fallback) {
  const auto digits = query_value(query, "last");
  if (!digits) return fallback;
  int count = 0;
  const auto parsed = std::from_chars(digits->data(), digits->data() + digits->size(), count);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == digits->data() + digits->size();
  if (!whole || count < 1 || count > kMostRecords) return std::nullopt;
  return static_cast<std::size_t>(count);
}

HttpReply bad_last() {
  return error_reply(400, "last must be a whole number from 1 to " + std::to_string(kMostRecords), "last");
}

HttpReply steps(const RouteInput& input) {
  const auto count = last_count(input.query, 256);
  if (!count) return bad_last();
  const Recorder& recorder = input.engine.recorder();
  return json_reply(steps_json(recorder.last_steps(*count),
                               [&](const StepRecord& step) { return recorder.events_of(step); }));
}

HttpReply requests(const RouteInput& input) {
  const auto count = last_count(input.query, 200);
  return count ? json_reply(requests_json(input.engine.recorder().last_requests(*count))) : bad_last();
}

HttpReply version(const RouteInput&) {
  const BuildInfo& build = build_info();
  nlohmann::ordered_json json;
  json["version"] = build.version;
  json["git_commit"] = build.git_commit;
  json["build"] = build.flags;
  return json_reply(json.dump());
}

HttpReply settings(const RouteInput& input) {
  return json_reply(input.engine.settings().to_json());
}

/// "by=sweep" and "by=checklist" are those of Pitwall; everybody else is a client.
ChangedBy changed_by(std::string_view query) {
  ChangedBy by = ChangedBy::client;
  const bool known = set_word(by, query_value(query, "by").value_or(""));
  return known && (by == ChangedBy::sweep || by == ChangedBy::checklist) ? by : ChangedBy::client;
}

/// {"max-num-seqs": 8, …}: each in turn; the first that is refused ends it.
HttpReply change_settings(const RouteInput& input) {
  const auto wanted = parse_json_object(input.body, input.options.max_json_depth);
  if (!wanted) return error_reply(wanted.error());
  for (const auto& [name, value] : wanted->items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (auto changed = input.engine.change(name, text, changed_by(input.query)); !changed)
      return error_reply(changed.error());
  }
  return json_reply(input.engine.settings().to_json());
}

HttpReply reset_prefix_cache(const RouteInput& input) {
  if (auto reset = input.engine.reset_prefix_cache(); !reset) return error_reply(reset.error());
  return json_reply(R"({"status":"ok"})");
}

/// {"id": "chatcmpl-…"} or {"all": true} → {"aborted": how many}
HttpReply abort(const RouteInput& input) {
  const auto body = parse_json_object(input.body, input.options.max_json_depth);
  if (!body) return error_reply(body.error());
  RequestFields fields(*body);
  const bool all = fields.flag("all").value_or(false);
  const auto id = fields.text("id");
  if (fields.error()) return error_reply(*fields.error());
  if (all == id.has_value())
    return error_reply(400, "Either id or all: true says what to abort", all ? "all" : "id");
  int aborted = 0;
  for (const RequestRecord& request : input.engine.recorder().last_requests(kMostRecords)) {
    if (request.finish != FinishReason::none || (!all && request.label != *id)) continue;
    input.engine.cancel(request.id, "Aborted by a client of the server");
    ++aborted;
  }
  if (!all && aborted == 0)
    return error_reply(404, "No running or waiting request is called " + quote_for_message(*id), "id",
                       "not_found");
  return json_reply(nlohmann::ordered_json{{"aborted", aborted}}.dump());
}

constexpr bool kOpen = true;

const std::array kRoutes = {
    Route{"POST", "/v1/chat/completions", ApiKind::chat},
    Route{"POST", "/v1/completions", ApiKind::completion},
    Route{"GET", "/v1/models", models},
    Route{"GET", "/v1/models/", one_model},
    Route{"POST", "/tokenize", RouteTask{tokenize_route}},
    Route{"POST", "/detokenize", RouteTask{detokenize_route}},
    Route{"GET", "/health", health, kOpen},
    Route{"GET", "/ping", health, kOpen},
    Route{"POST", "/ping", health, kOpen},
    Route{"GET", "/health/ready", ready, kOpen},
    Route{"GET", "/load", load},
    Route{"GET", "/metrics", metrics},
    Route{"GET", "/version", version},
    Route{"GET", "/pitwall/snapshot", snapshot},
    Route{"GET", "/pitwall/steps", steps},
    Route{"GET", "/pitwall/requests", requests},
    Route{"GET", "/pitwall/settings", settings},
    Route{"POST", "/pitwall/settings", RouteTask{change_settings}},
    Route{"POST", "/pitwall/abort", RouteTask{abort}},
    Route{"POST", "/reset_prefix_cache", RouteTask{reset_prefix_cache}},
};

/// OpenAI's and vLLM's routes that clients know and that are not here, by how they begin.
constexpr std::array<std::string_view, 20> kNotProvided = {
    "/v1/embeddings", "/v1/responses",     "/v1/audio/",   "/v1/images/",      "/v1/moderations",
    "/v1/files",      "/v1/uploads",       "/v1/batches",  "/v1/fine_tuning/", "/v1/assistants",
    "/v1/threads",    "/v1/vector_stores", "/v1/realtime", "/v1/messages",     "/v1/score",
    "/v1/rerank",     "/rerank",           "/score",       "/pooling",         "/classify",
};

HttpReply nothing_at(std::string_view path) {
  const bool known = std::any_of(kNotProvided.begin(), kNotProvided.end(),
                                 [path](std::string_view route) { return path.starts_with(route); });
  if (!known) return error_reply(404, "There is nothing at " + quote_for_message(path), {}, "not_found");
  return error_reply(404,
                     "This server does not provide " + quote_for_message(path) +
                         ": it serves one text model at /v1/chat/completions and /v1/completions",
                     {}, "not_provided");
}

}  // namespace

RouteMatch find_route(std::string_view method, std::string_view target, std::string_view& query) {
  const std::size_t question = target.find('?');
  const std::string_view path = target.substr(0, question);
  query = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
  std::string methods;
  for (const Route& route : kRoutes) {
    const bool takes_rest = route.path.ends_with('/');
    const bool matches = takes_rest ? path.starts_with(route.path) && path != route.path : path == route.path;
    if (!matches) continue;
    if (takes_rest) query = path.substr(route.path.size());
    if (route.method == method) return {&route, {}};
    methods.append(methods.empty() ? "" : ", ").append(route.method);
  }
  if (methods.empty()) {
    return {nullptr, nothing_at(path)};
  }
  HttpReply refusal = error_reply(405, std::string(path) + " answers " + methods + " only");
  refusal.headers.emplace_back("Allow", methods);
  return {nullptr, std::move(refusal)};
}

}  // namespace pitwall
