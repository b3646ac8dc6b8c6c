// SPDX-License-Identifier: GPL-3.0-or-later
// The one HTTP client: requests to a server, whole or as a stream of SSE events, and downloads. http and
// https.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

struct HttpRequest {
  std::string method = "GET";
  std::string url;  ///< http://127.0.0.1:8080/v1/models
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};                      ///< sent as application/json unless a header says otherwise
  int timeout_ms = 30'000;                    ///< for connect and between any two reads
  const std::atomic<bool>* cancel = nullptr;  ///< looked at every 50 ms; then the answer is Error::cancelled
};
struct HttpResponse {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// nullptr when there is none; names in any case.
const std::string* find_header(const HttpResponse& response, std::string_view name);

/// Blocking; runs on the caller's thread. Error::io names host, port and the reason.
Result<HttpResponse> http_send(const HttpRequest& request);

/// Streams a response: `on_data` gets each SSE event's data (comments skipped, CRLF and frames split anywhere
/// handled); returns false to hang up. A status other than 200 comes back as the response with its body.
Result<HttpResponse> http_stream(const HttpRequest& request,
                                 const std::function<bool(std::string_view data)>& on_data);

/// Hands a body on as it comes, of any size. `on_head` gets the response without its body; it and `on_bytes`
/// return false to hang up, which is no error, or an error, which is passed on.
Result<HttpResponse> http_receive(const HttpRequest& request,
                                  const std::function<Result<bool>(const HttpResponse& head)>& on_head,
                                  const std::function<Result<bool>(std::string_view bytes)>& on_bytes);

}  // namespace pitwall
