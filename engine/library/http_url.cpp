// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/http_url.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

bool is_port(std::string_view text) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= 65535;
}

bool has_space_or_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c == 0x7F; });
}

}  // namespace

std::string HttpUrl::authority() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

std::string HttpUrl::origin() const {
  return std::string(tls ? "https" : "http") + "://" + authority();
}

std::string HttpUrl::shown() const {
  const bool usual = port == (tls ? "443" : "80");
  std::string place = authority();
  if (usual) place.resize(place.size() - port.size() - 1);
  return std::string(tls ? "https" : "http") + "://" + place + target.substr(0, target.find('?'));
}

Result<HttpUrl> parse_http_url(std::string_view url) {
  const auto refused = [&](const char* cause) {
    return Error{Error::Kind::invalid_input, quote_for_message(url, 200) + " is not an address to connect to",
                 cause, "Write it like http://127.0.0.1:8080", "url"};
  };
  if (has_space_or_control(url)) return refused("It holds a space or a control character");
  std::string_view rest = url;
  HttpUrl out;
  if (rest.starts_with("https://")) {
    out.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return refused("It does not begin with http:// or https://");
  }

  rest = rest.substr(0, rest.find('#'));
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, authority_end);
  rest.remove_prefix(authority_end);
  if (!rest.starts_with('/')) out.target = '/';
  out.target += rest;
  if (authority.find('@') != std::string_view::npos) return refused("It holds a user name");

  std::size_t host_end = authority.find(':');
  if (authority.starts_with('[')) {
    host_end = authority.find(']');
    if (host_end == std::string_view::npos) return refused("A bracket is not closed");
    out.host = authority.substr(1, host_end - 1);
    ++host_end;
  } else {
    out.host = authority.substr(0, host_end);
  }
  if (out.host.empty()) return refused("It names no host");

  authority.remove_prefix(std::min(host_end, authority.size()));
  if (authority.empty()) {
    out.port = out.tls ? "443" : "80";
  } else {
    out.port = authority.substr(1);
    if (authority.front() != ':' || !is_port(out.port))
      return refused("Its port is not a number from 1 to 65535");
  }
  return out;
}

Result<std::string> join_url(const HttpUrl& base, std::string_view reference) {
  const std::string path = base.target.substr(0, base.target.find('?'));
  std::string joined;
  if (const std::size_t scheme = reference.find("://");
      scheme != std::string_view::npos && scheme < reference.find_first_of("/?#")) {
    joined = reference;
  } else if (reference.starts_with("//")) {
    joined = base.tls ? "https:" : "http:";
    joined += reference;
  } else if (reference.starts_with('/')) {
    joined = base.origin() + std::string(reference);
  } else if (reference.starts_with('?')) {
    joined = base.origin() + path + std::string(reference);
  } else {
    joined = base.origin() + path.substr(0, path.rfind('/') + 1) + std::string(reference);
  }
  const auto checked = parse_http_url(joined);
  if (!checked) return checked.error();
  return joined;
}

}  // namespace pitwall
