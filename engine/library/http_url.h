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
  std::string origin() const;     ///< scheme and authority
  std::string shown() const;      ///< for messages: without the query, which may be a key
};

/// Refuses other schemes, user names, and characters that cannot stand in a URL. Error::param is "url".
Result<HttpUrl> parse_http_url(std::string_view url);

/// Where a Location header of `base` leads: a whole address, "//host/path", "/path", "?query" or "path".
Result<std::string> join_url(const HttpUrl& base, std::string_view reference);

}  // namespace pitwall
