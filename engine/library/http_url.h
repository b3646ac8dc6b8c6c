// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of an http or https address that a client needs.
#pragma once
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace pitwall {

struct HttpUrl {
  bool tls = false;
  std::string host;  ///< IPv6 without its brackets
  std::string port;
  std::string target;  ///< path and query, at least "/"

  std::string authority() const;  ///< "host:port", IPv6 in brackets
};

/// Refuses other schemes, user names, and characters that cannot stand in a URL. Error::param is "url".
Result<HttpUrl> parse_http_url(std::string_view url);

}  // namespace pitwall
