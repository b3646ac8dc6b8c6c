// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the chat templates of a checkpoint: of two with one name, the first counts.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/model.h"

namespace pitwall {

class ChatTemplateSet {
 public:
  void add(std::string name, std::string source) { sources_.emplace(std::move(name), std::move(source)); }
  /// Sorted by name, "default" first.
  std::vector<NamedTemplate> take() {
    std::vector<NamedTemplate> templates;
    if (auto node = sources_.extract("default"); !node.empty()) {
      templates.push_back({"default", std::move(node.mapped())});
    }
    for (auto& [name, source] : sources_) templates.push_back({name, std::move(source)});
    return templates;
  }

 private:
  std::map<std::string, std::string> sources_;
};

}  // namespace pitwall
