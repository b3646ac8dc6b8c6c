// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/http_server.h"
#include "engine/settings/settings.h"

namespace pitwall {

Result<HttpOptions> http_options(const Settings& settings) {
  const auto count = [&settings](std::string_view name) { return static_cast<int>(settings.integer(name)); };
  const auto size = [&settings](std::string_view name) {
    return static_cast<std::size_t>(settings.integer(name));
  };
  auto keys = ApiKeys::read(settings.text("api-key"), settings.text("api-key-file"));
  if (!keys) return keys.error();
  HttpOptions options;
  options.host = settings.text("host");
  options.port = count("port");
  options.allowed_hosts = split_list(settings.text("allowed-hosts"));
  options.allowed_origins = split_list(settings.text("allowed-origins"));
  options.keys = *std::move(keys);
  options.allow_unauthenticated = settings.flag("allow-unauthenticated");
  options.ssl_certfile = settings.text("ssl-certfile");
  options.ssl_keyfile = settings.text("ssl-keyfile");
  options.max_waiting = count("max-waiting");
  options.max_connections = count("max-connections");
  options.max_body = size("max-body-size");
  options.max_header = size("max-header-size");
  options.max_messages = size("max-messages");
  options.max_json_depth = count("max-json-depth");
  return options;
}

}  // namespace pitwall
