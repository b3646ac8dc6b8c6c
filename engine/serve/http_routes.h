// SPDX-License-Identifier: GPL-3.0-or-later
// The routes: what is found where, and the answers that need no engine step.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/serve/http_reply.h"
#include "engine/serve/openai_request.h"

namespace pitwall {

class Engine;

using RouteAnswer = HttpReply (*)(Engine& engine, std::string_view query);

struct Route {
  std::string_view method, path;
  std::variant<ApiKind, RouteAnswer> action;  ///< a completion, or an answer at once
};

struct RouteMatch {
  const Route* route = nullptr;
  HttpReply refusal;  ///< 404 or 405, when there is no route
};
/// `target` as in the request line; `query` becomes what follows its '?'.
RouteMatch find_route(std::string_view method, std::string_view target, std::string_view& query);

}  // namespace pitwall
