// SPDX-License-Identifier: GPL-3.0-or-later
// Containers of Kubernetes manifests: Deployments, StatefulSets, Jobs, Pods, and what else holds a pod.
#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "engine/plan/config_container.h"
#include "engine/plan/yaml_nodes.h"

namespace pitwall {

namespace {

constexpr int kMostLevels = 24, kMostNodes = 100000;
constexpr std::size_t kMostContainers = 1000;

using ConfigMaps = std::map<std::string, std::vector<NamedText>>;

/// The objects, those of a List one by one.
std::vector<YAML::Node> objects_of(const std::vector<YAML::Node>& documents) {
  std::vector<YAML::Node> objects;
  for (const YAML::Node& document : documents) {
    const YAML::Node items = yaml_member(document, {"items"});
    if (!items.IsSequence()) objects.push_back(document);
    if (!items.IsSequence()) continue;
    for (const YAML::Node& each : items) objects.push_back(each);
  }
  return objects;
}

ConfigMaps config_maps_of(const std::vector<YAML::Node>& objects) {
  ConfigMaps maps;
  for (const YAML::Node& object : objects) {
    if (yaml_text(yaml_member(object, {"kind"})) != "ConfigMap") continue;
    std::vector<NamedText>& values = maps[yaml_text(yaml_member(object, {"metadata", "name"}))];
    for (const auto& [key, value] : yaml_members(yaml_member(object, {"data"})))
      values.emplace_back(key, yaml_text(value));
  }
  return maps;
}

class ContainerReader {
 public:
  ContainerReader(const YAML::Node& container, const std::string& object, const ConfigMaps& maps)
      : container_(container), maps_(maps) {
    out_.name = fmt::format("container {} of {}", yaml_text(yaml_member(container, {"name"})), object);
  }

  ConfigContainer read() {
    read_environment();
    out_.image = yaml_text(yaml_member(container_, {"image"}));
    for (const char* key : {"command", "args"})
      add_words(yaml_member(container_, {key}), &Variables::fill_manifest, out_);
    count_gpus();
    const std::string unread =
        unread_keys(container_, {"name", "image", "command", "args", "env", "envFrom", "resources"});
    if (!unread.empty()) out_.notes.push_back(fmt::format("Of {} this was not read: {}", out_.name, unread));
    return std::move(out_);
  }

 private:
  void read_environment() {
    for (const YAML::Node& each : list("envFrom")) {
      const std::string prefix = yaml_text(yaml_member(each, {"prefix"}));
      const std::string name = yaml_text(yaml_member(each, {"configMapRef", "name"}));
      const auto map = maps_.find(name);
      if (map != maps_.end()) {
        for (const auto& [key, value] : map->second) out_.environment.emplace_back(prefix + key, value);
      } else {
        const std::string secret = yaml_text(yaml_member(each, {"secretRef", "name"}));
        out_.notes.push_back(name.empty() ? fmt::format("The variables in Secret {} were not read", secret)
                                          : fmt::format("The variables in ConfigMap {} were not read", name));
      }
    }
    out_.variables = Variables(out_.environment);
    for (const YAML::Node& each : list("env")) {
      const std::string name = yaml_text(yaml_member(each, {"name"}));
      const YAML::Node value = yaml_member(each, {"value"}), from = yaml_member(each, {"valueFrom"});
      out_.environment.emplace_back(
          name, from.IsMap() ? value_from(from, name) : out_.variables.fill_manifest(yaml_text(value)));
      out_.variables.set(name, out_.environment.back().second);
    }
  }

  /// Where the file does not say it: the reference that a shell would fill in.
  std::string value_from(const YAML::Node& from, const std::string& name) const {
    const auto map = maps_.find(yaml_text(yaml_member(from, {"configMapKeyRef", "name"})));
    const std::string key = yaml_text(yaml_member(from, {"configMapKeyRef", "key"}));
    if (map != maps_.end()) {
      for (const auto& [known, value] : map->second) {
        if (known == key) return value;
      }
    }
    return fmt::format("${{{}}}", name);
  }

  void count_gpus() {
    for (const char* place : {"limits", "requests"}) {
      for (const auto& [name, amount] : yaml_members(yaml_member(container_, {"resources", place}))) {
        if (name.starts_with("nvidia.com/mig-") && out_.gpus == 0) {
          out_.notes.push_back(fmt::format("{} {} is a part of a GPU: say its memory with --gpu-memory", name,
                                           yaml_text(amount)));
        }
        if (name.ends_with("/gpu") && out_.gpus == 0) out_.gpus = whole_number(yaml_text(amount));
      }
    }
  }

  YAML::Node list(const char* key) const {
    const YAML::Node node = yaml_member(container_, {key});
    return node.IsSequence() ? node : YAML::Node();
  }

  const YAML::Node container_;
  const ConfigMaps& maps_;
  ConfigContainer out_;
};

class PodFinder {
 public:
  explicit PodFinder(const ConfigMaps& maps) : maps_(maps) {}

  void read(const YAML::Node& object) {
    object_ = fmt::format("{} {}", yaml_text(yaml_member(object, {"kind"})),
                          yaml_text(yaml_member(object, {"metadata", "name"})));
    const std::size_t first = found.size();
    visit(object, 0);
    const int replicas = whole_number(yaml_text(yaml_member(object, {"spec", "replicas"})));
    const int pods = whole_number(yaml_text(yaml_member(object, {"spec", "leaderWorkerTemplate", "size"})));
    for (std::size_t i = first; i < found.size(); ++i) {
      if (replicas > 1)
        found[i].notes.push_back(
            fmt::format("{} runs {} times; these are the settings of one", object_, replicas));
      if (pods > 1) {
        found[i].gpus *= pods;
        found[i].notes.push_back(fmt::format("{} joins {} pods: GPUs of all were counted", object_, pods));
      }
    }
  }

  std::vector<ConfigContainer> found;

 private:
  void visit(const YAML::Node& node, int depth) {
    if (++nodes_ > kMostNodes || depth > kMostLevels || found.size() > kMostContainers)
      throw std::length_error("it holds too many values, or itself");
    for (const char* key : {"containers", "initContainers"}) {
      const YAML::Node containers = yaml_member(node, {key});
      if (!containers.IsSequence()) continue;
      for (const YAML::Node& each : containers) {
        if (each.IsMap()) found.push_back(ContainerReader(each, object_, maps_).read());
      }
    }
    for (const auto& [key, value] : yaml_members(node)) {
      if (key != "containers" && key != "initContainers" && !value.IsScalar()) visit(value, depth + 1);
    }
    if (!node.IsSequence()) return;
    for (const YAML::Node& each : node) {
      if (!each.IsScalar()) visit(each, depth + 1);
    }
  }

  const ConfigMaps& maps_;
  std::string object_;
  int nodes_ = 0;
};

}  // namespace

bool is_manifest(const YAML::Node& document) {
  const bool is_object =
      yaml_member(document, {"apiVersion"}).IsScalar() || yaml_member(document, {"spec"}).IsMap();
  return is_object && yaml_member(document, {"kind"}).IsScalar();
}

std::vector<ConfigContainer> manifest_containers(const std::vector<YAML::Node>& documents) {
  const std::vector<YAML::Node> objects = objects_of(documents);
  const ConfigMaps maps = config_maps_of(objects);
  PodFinder pods(maps);
  for (const YAML::Node& object : objects) pods.read(object);
  return std::move(pods.found);
}

}  // namespace pitwall
