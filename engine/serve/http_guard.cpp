// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/http_guard.h"

#include <algorithm>

namespace pitwall {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

/// "name:8080" → "name"; "[::1]:8080" → "[::1]".
std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.find(']', colon) != std::string_view::npos) return host;
  const std::string_view port = host.substr(colon + 1);
  const bool digits = !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? host.substr(0, colon) : host;
}

bool is_json(std::string_view content_type) {
  std::string type = lower(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  return type == "application/json";
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool is_loopback_name(std::string_view host) {
  const std::string name = lower(host);
  return name == "localhost" || name == "127.0.0.1" || name == "::1" || name == "[::1]";
}

HttpGuard::HttpGuard(const HttpOptions& options) : keys_(options.keys) {
  for (const std::string& host : options.allowed_hosts) hosts_.push_back(lower(host));
  for (const std::string& origin : options.allowed_origins) origins_.push_back(lower(origin));
}

bool HttpGuard::allows_host(std::string_view host) const {
  const std::string whole = lower(host), name(without_port(whole));
  return is_loopback_name(name) || contains(hosts_, whole) || contains(hosts_, name);
}

std::optional<std::string> HttpGuard::caller(std::string_view authorization) const {
  return keys_.empty() ? std::optional<std::string>("") : keys_.find(authorization);
}

HttpReply preflight_reply(bool origin_allowed) {
  if (!origin_allowed)
    return error_reply(403, "Web pages of this origin may not send requests", "Origin", "origin_not_allowed");
  HttpReply reply{.status = 204, .content_type = {}, .body = {}, .headers = {}};
  reply.headers = {{"Access-Control-Allow-Methods", "GET, POST"},
                   {"Access-Control-Allow-Headers", "authorization, content-type"},
                   {"Access-Control-Max-Age", "600"}};
  return reply;
}

HttpReply no_valid_key(bool sent_one) {
  HttpReply reply =
      error_reply(401,
                  sent_one ? "The API key is not one of this server's"
                           : "This server needs an API key: send it as Authorization: Bearer KEY",
                  "Authorization", "invalid_api_key");
  reply.headers.emplace_back("WWW-Authenticate", sent_one ? "Bearer error=\"invalid_token\"" : "Bearer");
  return reply;
}

bool HttpGuard::allows_origin(std::string_view origin) const {
  return contains(origins_, lower(origin));
}

std::optional<HttpReply> HttpGuard::check(const RequestHead& head) const {
  if (head.host_count > 1 || (head.host_count == 0 && !head.http_1_0)) {
    return error_reply(
        400, "The request has " + std::to_string(head.host_count) + " Host headers; it needs one", "Host");
  }
  if (head.host_count == 1 && !allows_host(head.host)) {
    return error_reply(
        403,
        "This server does not answer to the name in the Host header. Use 127.0.0.1 or localhost, or "
        "add the name to allowed-hosts",
        "Host", "host_not_allowed");
  }
  if (head.method != "POST") return std::nullopt;
  if (!head.origin.empty() && !allows_origin(head.origin)) {
    return error_reply(403, "Web pages of this origin may not send requests. Add it to allowed-origins",
                       "Origin", "origin_not_allowed");
  }
  if (!is_json(head.content_type)) {
    return error_reply(415, "The body must be sent as Content-Type: application/json", "Content-Type");
  }
  return std::nullopt;
}

}  // namespace pitwall
