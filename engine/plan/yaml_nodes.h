// SPDX-License-Identifier: GPL-3.0-or-later
// Reading YAML without surprises: members that are absent are null, merge keys (<<) are followed.
#pragma once
#include <yaml-cpp/yaml.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pitwall {

/// Key → value in the order of the file, those of merged maps behind. Empty for what is no map. Throws
/// std::length_error where merges hold themselves.
std::vector<std::pair<std::string, YAML::Node>> yaml_members(const YAML::Node& map);

/// The value at the end of the path; null where there is none.
YAML::Node yaml_member(const YAML::Node& map, std::initializer_list<std::string_view> path);

/// The text of a scalar; empty for others.
std::string yaml_text(const YAML::Node& scalar);

}  // namespace pitwall
