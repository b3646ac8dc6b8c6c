// SPDX-License-Identifier: GPL-3.0-or-later
// HttpGuard: which requests are answered at all. It keeps web pages in a browser on this machine from talking
// to the engine (foreign Host names, foreign origins, form posts), and asks for a key where there are keys.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/serve/http_reply.h"
#include "engine/serve/http_server.h"

namespace pitwall {

/// The parts of a request's head that decide; empty where absent.
struct RequestHead {
  std::string_view method, host, origin, content_type;
  int host_count = 0;
  bool http_1_0 = false;
};

class HttpGuard {
 public:
  explicit HttpGuard(const HttpOptions& options);

  /// The refusal, or nothing. A POST must also come from an allowed origin, if any, and carry JSON.
  std::optional<HttpReply> check(const RequestHead& head) const;
  bool allows_origin(std::string_view origin) const;
  /// By the Authorization header: the name of the caller's key, "" where no key is needed; nothing when the
  /// request may not pass.
  std::optional<std::string> caller(std::string_view authorization) const;

 private:
  bool allows_host(std::string_view host) const;
  std::vector<std::string> hosts_, origins_;  // lower case
  ApiKeys keys_;
};

HttpReply preflight_reply(bool origin_allowed);  ///< to OPTIONS
HttpReply no_valid_key(bool sent_one);           ///< 401

bool is_loopback_name(std::string_view host);  ///< localhost, 127.0.0.1, ::1 or [::1]

}  // namespace pitwall
