// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/yaml_nodes.h"

#include <map>
#include <stdexcept>

namespace pitwall {

namespace {

constexpr int kMostMerged = 1000;

class Collector {
 public:
  /// What stands in the map itself comes before what it merges, and of several merged maps the first.
  void add(const YAML::Node& map) {
    if (++merged_ > kMostMerged) throw std::length_error("it merges too many values, or itself");
    const std::size_t own = members.size();
    std::vector<YAML::Node> others;
    for (const auto& each : map) {
      const std::string key = each.first.as<std::string>();
      if (key == "<<") {
        others.push_back(each.second);
        continue;
      }
      const auto [place, is_new] = places_.try_emplace(key, members.size());
      if (is_new) members.emplace_back(key, each.second);
      if (!is_new && place->second >= own) members[place->second].second.reset(each.second);  // said twice
    }
    for (const YAML::Node& other : others) {
      if (other.IsMap()) add(other);
      if (!other.IsSequence()) continue;
      for (const YAML::Node& each : other) {
        if (each.IsMap()) add(each);
      }
    }
  }

  std::vector<std::pair<std::string, YAML::Node>> members;

 private:
  std::map<std::string, std::size_t> places_;
  int merged_ = 0;
};

}  // namespace

std::vector<std::pair<std::string, YAML::Node>> yaml_members(const YAML::Node& map) {
  Collector collector;
  if (map.IsMap()) collector.add(map);
  return std::move(collector.members);
}

YAML::Node yaml_member(const YAML::Node& map, std::initializer_list<std::string_view> path) {
  YAML::Node at = map;
  for (const std::string_view key : path) {
    YAML::Node next;
    for (const auto& [name, value] : yaml_members(at)) {
      if (name == key) next.reset(value);
    }
    at.reset(next);
  }
  return at;
}

std::string yaml_text(const YAML::Node& scalar) {
  return scalar.IsScalar() ? scalar.Scalar() : "";
}

}  // namespace pitwall
