// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/config_container.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/plan/yaml_nodes.h"

namespace pitwall {

namespace {

/// "--model M" as one member of a list: a flag, a blank and what belongs into the next member.
bool holds_two_words(const std::string& word) {
  const std::size_t blank = word.find(' ');
  return word.starts_with('-') && blank != std::string::npos && blank > 1 &&
         word.find_first_of("={'\"") > blank;
}

}  // namespace

void add_words(const YAML::Node& node, std::string (Variables::*fill)(std::string_view),
               ConfigContainer& container) {
  if (!container.words.ok()) return;
  Words& words = *container.words;
  const auto filled = [&](const std::string& text) { return (container.variables.*fill)(text); };
  if (node.IsSequence()) {
    for (const YAML::Node& each : node) {
      std::string word = filled(each.as<std::string>());
      const auto parted = holds_two_words(word) ? split_words(word) : Result<Words>(Words());
      if (!parted.ok() || parted->empty()) {
        words.push_back(std::move(word));
        continue;
      }
      container.notes.push_back(
          fmt::format("{} is written with its value as one word, which the engine refuses; two were read",
                      parted->front()));
      words.insert(words.end(), parted->begin(), parted->end());
    }
  } else if (node.IsScalar()) {
    auto parted = split_words(filled(node.Scalar()));
    if (!parted.ok()) {
      container.words = parted.error();
    } else {
      words.insert(words.end(), parted->begin(), parted->end());
    }
  }
}

std::string unread_keys(const YAML::Node& container, std::initializer_list<std::string_view> read) {
  std::string keys;
  for (const auto& [name, value] : yaml_members(container)) {
    if (std::find(read.begin(), read.end(), name) != read.end()) continue;
    keys += (keys.empty() ? "" : ", ") + name;
    if (!value.IsSequence() || (name != "ports" && name != "volumes")) continue;
    for (const YAML::Node& each : value) keys += each.IsScalar() ? " " + each.Scalar() : "";
  }
  return keys;
}

int whole_number(std::string_view text) {
  int number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size() ? std::max(number, 0) : 0;
}

}  // namespace pitwall
