// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/host_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/plan/variable_text.h"

namespace pitwall {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view kSlashes = "/\\";

bool has_parents(std::string_view path) {
  return fmt::format("/{}/", path).find("/../") != std::string::npos;
}

/// "C:\models", "D:/models", "\\server\models".
bool is_of_windows(std::string_view path) {
  const bool drive = path.size() > 2 && path[1] == ':' && kSlashes.find(path[2]) != std::string_view::npos;
  return drive || path.starts_with("\\\\");
}

/// A path, not the name of a repository, an address or a text. "models/qwen" may be either: a repository.
bool is_path(std::string_view text) {
  if (text.size() < 2 || text.find("://") != std::string_view::npos ||
      text.find('\n') != std::string_view::npos)
    return false;
  if (text[0] == '$') return holds_references(text) && text.find('/') != std::string_view::npos;
  if (text.find_first_of("{}") != std::string_view::npos) return false;  // a chat template itself
  static constexpr std::string_view kStarts[] = {"/", "./", "../", "~/", ".\\", "..\\"};
  static constexpr std::string_view kFiles[] = {".jinja", ".json", ".gguf", ".pem", ".key", ".crt"};
  return is_of_windows(text) ||
         std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return text.starts_with(start); }) ||
         std::any_of(std::begin(kFiles), std::end(kFiles),
                     [&](std::string_view end) { return text.ends_with(end); });
}

}  // namespace

bool is_absolute_path(std::string_view path) {
  return path.starts_with('/') && !has_parents(path);
}

std::string HostPaths::mount(const std::string& word) {
  if (is_path(word)) return mount_path(word);
  if (word.starts_with('{') || word.starts_with('[')) {
    json document = json::parse(word, nullptr, false);
    if (!document.is_structured()) return word;
    bool changed = false;
    for (json& value : document) {  // members that name files lie at the top
      if (!value.is_string() || !is_path(value.get<std::string>())) continue;
      value = mount_path(value.get<std::string>());
      changed = true;
    }
    return changed ? document.dump() : word;
  }
  const std::size_t equals = word.find('=');  // NAME=PATH
  if (equals == std::string::npos || !is_path(std::string_view(word).substr(equals + 1))) return word;
  return word.substr(0, equals + 1) + mount_path(std::string_view(word).substr(equals + 1));
}

std::string HostPaths::mount_path(std::string_view path) {
  while (path.size() > 1 && kSlashes.find(path.back()) != std::string_view::npos) path.remove_suffix(1);
  for (const HostPath& each : list_) {
    if (!path.starts_with(each.told)) continue;
    std::string rest(path.substr(each.told.size()));
    if (!rest.empty() && kSlashes.find(rest.front()) == std::string_view::npos) continue;
    std::replace(rest.begin(), rest.end(), '\\', '/');
    return each.inside + rest;
  }
  // A colon is allowed in no mount of Kubernetes.
  const bool same = is_absolute_path(path) && path.find(':') == std::string_view::npos;
  std::string name(path.substr(path.find_last_of(kSlashes) + 1));
  std::replace(name.begin(), name.end(), ':', '-');
  if (name.empty() || name == "." || name == "..") name = "files";
  list_.push_back(
      {std::string(path), same ? std::string(path) : fmt::format("/mnt/{}/{}", list_.size() + 1, name)});
  return list_.back().inside;
}

}  // namespace pitwall
