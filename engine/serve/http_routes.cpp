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

namespace pitwall {

namespace {

constexpr int kMostRecords = 10'000;

HttpReply models(Engine& engine, std::string_view) {
  return json_reply(
      models_response(engine.served_name(), engine.started_utc() / kNanosPerSecond, engine.max_model_len()));
}

HttpReply health(Engine& engine, std::string_view) {
  const EngineState state = engine.state();
  if (state == EngineState::serving) return json_reply(R"({"status":"ok"})");
  return error_reply(503, "The engine is " + std::string(engine_state_name(state)));
}

HttpReply metrics(Engine& engine, std::string_view) {
  return {.status = 200,
          .content_type = "text/plain; version=0.0.4; charset=utf-8",
          .body = metrics_text(engine),
          .headers = {}};
}

HttpReply snapshot(Engine& engine, std::string_view) {
  return json_reply(snapshot_json(*engine.snapshot()));
}

/// The value of "last=N" in a query; `fallback` without one, nothing when it is no count.
std::optional<std::size_t> last_count(std::string_view query, std::size_t fallback) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (!pair.starts_with("last=")) continue;
    const std::string_view digits = pair.substr(5);
    int count = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
    if (!whole || count < 1 || count > kMostRecords) return std::nullopt;
    return static_cast<std::size_t>(count);
  }
  return fallback;
}

HttpReply bad_last() {
  return error_reply(400, "last must be a whole number from 1 to " + std::to_string(kMostRecords), "last");
}

HttpReply steps(Engine& engine, std::string_view query) {
  const auto count = last_count(query, 256);
  if (!count) return bad_last();
  const Recorder& recorder = engine.recorder();
  return json_reply(steps_json(recorder.last_steps(*count),
                               [&](const StepRecord& step) { return recorder.events_of(step); }));
}

HttpReply requests(Engine& engine, std::string_view query) {
  const auto count = last_count(query, 200);
  return count ? json_reply(requests_json(engine.recorder().last_requests(*count))) : bad_last();
}

HttpReply version(Engine&, std::string_view) {
  const BuildInfo& build = build_info();
  nlohmann::ordered_json json;
  json["version"] = build.version;
  json["git_commit"] = build.git_commit;
  json["build"] = build.flags;
  return json_reply(json.dump());
}

HttpReply settings(Engine& engine, std::string_view) {
  return json_reply(engine.settings().to_json());
}

/// {"max-num-seqs": 8, …}: each in turn; the first that is refused ends it.
HttpReply change_settings(Engine& engine, std::string_view body) {
  const auto wanted = parse_json_object(body);
  if (!wanted) return error_reply(wanted.error());
  for (const auto& [name, value] : wanted->items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (auto changed = engine.change(name, text); !changed) return error_reply(changed.error());
  }
  return json_reply(engine.settings().to_json());
}

HttpReply reset_prefix_cache(Engine& engine, std::string_view) {
  if (auto reset = engine.reset_prefix_cache(); !reset) return error_reply(reset.error());
  return json_reply(R"({"status":"ok"})");
}

const std::array kRoutes = {
    Route{"POST", "/v1/chat/completions", ApiKind::chat},
    Route{"POST", "/v1/completions", ApiKind::completion},
    Route{"GET", "/v1/models", models},
    Route{"GET", "/health", health},
    Route{"GET", "/metrics", metrics},
    Route{"GET", "/version", version},
    Route{"GET", "/pitwall/snapshot", snapshot},
    Route{"GET", "/pitwall/steps", steps},
    Route{"GET", "/pitwall/requests", requests},
    Route{"GET", "/pitwall/settings", settings},
    Route{"POST", "/pitwall/settings", RouteTask{change_settings}},
    Route{"POST", "/reset_prefix_cache", RouteTask{reset_prefix_cache}},
};

}  // namespace

RouteMatch find_route(std::string_view method, std::string_view target, std::string_view& query) {
  const std::size_t question = target.find('?');
  const std::string_view path = target.substr(0, question);
  query = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
  std::string methods;
  for (const Route& route : kRoutes) {
    if (route.path != path) continue;
    if (route.method == method) return {&route, {}};
    methods.append(methods.empty() ? "" : ", ").append(route.method);
  }
  if (methods.empty()) {
    return {nullptr, error_reply(404, "There is nothing at " + quote_for_message(path), {}, "not_found")};
  }
  HttpReply refusal = error_reply(405, std::string(path) + " answers " + methods + " only");
  refusal.headers.emplace_back("Allow", methods);
  return {nullptr, std::move(refusal)};
}

}  // namespace pitwall
