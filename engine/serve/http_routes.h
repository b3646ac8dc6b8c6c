// SPDX-License-Identifier: GPL-3.0-or-later
// The routes: what is found where, and the answers that are no completion.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/serve/http_reply.h"
#include "engine/serve/http_server.h"
#include "engine/serve/http_statistics.h"
#include "engine/serve/openai_request.h"

namespace pitwall {

class Engine;

struct RouteInput {
  Engine& engine;
  const HttpOptions& options;
  const HttpStatistics& statistics;
  std::string_view query;  ///< behind the '?'
  std::string_view body;
};

using RouteAnswer = HttpReply (*)(const RouteInput& input);

/// Takes its time, or waits for the engine, at most a step: run on a worker thread.
struct RouteTask {
  RouteAnswer run;
};

struct Route {
  std::string_view method, path;
  std::variant<ApiKind, RouteAnswer, RouteTask> action;  ///< a completion, an answer at once, or soon
  bool open = false;                                     ///< answers without an API key
};

struct RouteMatch {
  const Route* route = nullptr;
  HttpReply refusal;  ///< 404 or 405, when there is no route
};
/// `target` as in the request line; `query` becomes what follows its '?', or the route's path where that ends
/// with '/'.
RouteMatch find_route(std::string_view method, std::string_view target, std::string_view& query);

}  // namespace pitwall
