// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/fetch_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/base/text_escape.h"
#include "engine/library/http_url.h"
#include "engine/library/shard_name.h"

namespace pitwall {

namespace {

constexpr std::size_t kLongestName = 240;  // file systems take 255 bytes; ".partial.json" has to fit behind
constexpr std::string_view kHubPrefix = "hf:";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value != nullptr ? value : "";
  text.erase(0, text.find_first_not_of(" \t\r\n"));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(mark, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool is_step(std::string_view segment) {
  return segment.empty() || segment == "." || segment == "..";
}

/// hf:org/repo@revision/folder/file → the address that the hub serves it from.
Result<std::string> hub_url(std::string_view text, const Hub& hub) {
  const auto refused = [&](const char* cause) {
    return Error{Error::Kind::invalid_input, quote_for_message(text, 300) + " names no file of the hub",
                 cause, "Write it like hf:org/repo/file.gguf or hf:org/repo@revision/folder/file.gguf",
                 "name"};
  };
  auto segments = split(text.substr(kHubPrefix.size()), '/');
  if (segments.size() < 3) return refused("It needs an organisation, a repository and a file");
  std::string_view revision = "main";
  if (const std::size_t at = segments[1].find('@'); at != std::string_view::npos) {
    revision = segments[1].substr(at + 1);
    segments[1] = segments[1].substr(0, at);
  }
  if (is_step(revision) || std::any_of(segments.begin(), segments.end(), is_step))
    return refused("A part of it is empty, . or ..");
  std::string url = hub.address;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i == 2) url += "/resolve/" + percent_encode(percent_decode(revision));
    url += "/" + percent_encode(segments[i]);
  }
  return url;
}

/// Path, its last segment and what follows the path.
struct UrlParts {
  std::string before, last, after;
};

UrlParts parts_of(const std::string& url) {
  const std::size_t path = url.find('/', url.find("://") + 3);
  const std::size_t end = std::min(url.find_first_of("?#"), url.size());
  if (path >= end) return {url.substr(0, end), "", url.substr(end)};
  const std::size_t last = url.rfind('/', end - 1) + 1;
  return {url.substr(0, last), url.substr(last, end - last), url.substr(end)};
}

}  // namespace

Hub Hub::from_environment() {
  Hub hub;
  if (std::string address = environment("HF_ENDPOINT"); !address.empty()) hub.address = std::move(address);
  while (hub.address.ends_with('/')) hub.address.pop_back();
  hub.token = environment("HF_TOKEN");
  return hub;
}

bool is_address(std::string_view text) {
  return text.starts_with(kHubPrefix) || text.find("://") != std::string_view::npos;
}

Result<std::vector<FetchSource>> read_source(std::string_view text, const Hub& hub) {
  const bool of_hub = text.starts_with(kHubPrefix);
  const auto url = of_hub ? hub_url(text, hub) : Result<std::string>(std::string(text));
  if (!url) return url.error();
  if (const auto sound = parse_http_url(*url); !sound) return sound.error();

  const UrlParts parts = parts_of(*url);
  const std::string name = percent_decode(parts.last);
  if (name.empty()) return std::vector<FetchSource>{{*url, ""}};
  const auto safe = safe_file_name(name);
  if (!safe) return safe.error();
  const auto shard = read_shard_name(*safe);
  if (!shard) return std::vector<FetchSource>{{*url, *safe}};
  if (!shard->sound()) {
    return Error{Error::Kind::invalid_input, fmt::format("{} is no file of a set", quote_for_message(*safe)),
                 "Its number is outside of its count", "Check the name", "name"};
  }
  std::vector<FetchSource> out;
  for (int i = 1; i <= shard->count; ++i) {
    const std::string file = shard->file(i);
    out.push_back({parts.before + percent_encode(file) + parts.after, file});
  }
  return out;
}

Result<std::string> safe_file_name(std::string name) {
  const auto refused = [&](const char* cause) {
    return Error{Error::Kind::invalid_input,
                 quote_for_message(name, 300) + " cannot be the name of a fetched file", cause,
                 "Check the address, or fetch the file by hand", "name"};
  };
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
  if (name.empty()) return refused("It is empty");
  if (name.find_first_of("/\\") != std::string::npos) return refused("It has a slash");
  if (name.front() == '.') return refused("It begins with a dot");
  if (std::any_of(name.begin(), name.end(), is_control)) return refused("It has a control character");
  if (!is_valid_utf8(name)) return refused("It is not UTF-8");
  if (name.size() > kLongestName) return refused("It is longer than 240 bytes");
  return name;
}

}  // namespace pitwall
