// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <string_view>

#include "engine/serve/http_server.h"
#include "engine/settings/settings.h"

namespace pitwall {

namespace {

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

}  // namespace

HttpOptions http_options(const Settings& settings) {
  HttpOptions options;
  options.host = settings.text("host");
  options.port = static_cast<int>(settings.integer("port"));
  options.allowed_hosts = split_commas(settings.text("allowed-hosts"));
  options.allowed_origins = split_commas(settings.text("allowed-origins"));
  return options;
}

}  // namespace pitwall
