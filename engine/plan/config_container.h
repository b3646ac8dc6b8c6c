// SPDX-License-Identifier: GPL-3.0-or-later
// What compose files and Kubernetes manifests run: image, words and variables of each container.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/plan/shell_words.h"

namespace YAML {
class Node;
}

namespace pitwall {

struct ConfigContainer {
  std::string name;                    ///< "service chat", "container vllm of Deployment chat"
  std::string image;                   ///< empty = built, or said elsewhere
  Result<Words> words = Words();       ///< entry point and arguments; an error where their quotes never close
  std::vector<NamedText> environment;  ///< "${NAME}" = a value that is not in the file
  int gpus = 0;                        ///< granted; 0 = not said
  Variables variables;                 ///< what the file's references came to
  std::vector<std::string> notes;      ///< what of it was not read
};

bool is_compose(const YAML::Node& document);
std::vector<ConfigContainer> compose_containers(const YAML::Node& document);

/// An object of Kubernetes.
bool is_manifest(const YAML::Node& document);
/// Of all pods that the objects describe, whatever their kind; containers before those that only prepare.
std::vector<ConfigContainer> manifest_containers(const std::vector<YAML::Node>& documents);

/// What a command is written as, at the end of the container's words: a list, or one text (also in manifests,
/// where Kubernetes takes lists alone). `fill` = how the format fills in variables.
void add_words(const YAML::Node& node, std::string (Variables::*fill)(std::string_view),
               ConfigContainer& container);

/// "ports 8000:8000, restart": keys of a container that say nothing about the engine's settings.
std::string unread_keys(const YAML::Node& container, std::initializer_list<std::string_view> read);

/// A whole number; 0 for all else.
int whole_number(std::string_view text);

}  // namespace pitwall
