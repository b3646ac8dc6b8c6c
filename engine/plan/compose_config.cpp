// SPDX-License-Identifier: GPL-3.0-or-later
// Services of docker compose files.
#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/config_container.h"
#include "engine/plan/yaml_nodes.h"

namespace pitwall {

namespace {

class ServiceReader {
 public:
  ServiceReader(const std::string& name, const YAML::Node& service) : service_(service) {
    out_.name = fmt::format("service {}", name);
  }

  ConfigContainer read() {
    out_.image = text(yaml_member(service_, {"image"}));
    for (const char* key : {"entrypoint", "command"})
      add_words(yaml_member(service_, {key}), &Variables::fill_compose, out_);
    read_environment(yaml_member(service_, {"environment"}));
    count_gpus();
    note_what_is_elsewhere();
    return std::move(out_);
  }

 private:
  std::string text(const YAML::Node& scalar) { return out_.variables.fill_compose(yaml_text(scalar)); }

  void read_environment(const YAML::Node& node) {
    for (const auto& [name, value] : yaml_members(node))
      add_variable(name, value.IsScalar() ? text(value) : fmt::format("${{{}}}", name));
    if (!node.IsSequence()) return;
    for (const YAML::Node& each : node) {
      const std::string said = text(each);
      const std::size_t equals = said.find('=');
      const std::string name = said.substr(0, equals);
      add_variable(name,
                   equals == std::string::npos ? fmt::format("${{{}}}", name) : said.substr(equals + 1));
    }
  }

  void add_variable(const std::string& name, std::string value) {
    if (!name.empty()) out_.environment.emplace_back(name, std::move(value));
  }

  void count_gpus() {
    YAML::Node devices = yaml_member(service_, {"deploy", "resources", "reservations", "devices"});
    if (!devices.IsSequence()) devices.reset(yaml_member(service_, {"gpus"}));
    if (!devices.IsSequence()) return;
    for (const YAML::Node& device : devices) {
      const YAML::Node ids = yaml_member(device, {"device_ids"});
      out_.gpus += ids.IsSequence() ? static_cast<int>(ids.size())
                                    : whole_number(text(yaml_member(device, {"count"})));
    }
  }

  void note_what_is_elsewhere() {
    if (const YAML::Node extends = yaml_member(service_, {"extends"}); !extends.IsNull())
      note("{} extends another, and what it takes from there was not read", out_.name);
    std::string files = text(yaml_member(service_, {"env_file"}));
    if (const YAML::Node list = yaml_member(service_, {"env_file"}); list.IsSequence()) {
      for (const YAML::Node& each : list)
        files += (files.empty() ? "" : ", ") + text(each.IsMap() ? yaml_member(each, {"path"}) : each);
    }
    if (!files.empty()) note("The variables in {} were not read", files);
    if (const YAML::Node profiles = yaml_member(service_, {"profiles"}); profiles.IsSequence()) {
      std::string names;
      for (const YAML::Node& each : profiles) names += (names.empty() ? "" : ", ") + text(each);
      note("{} runs only under the profile {}", out_.name, names);
    }
    if (const int replicas = std::max(whole_number(text(yaml_member(service_, {"deploy", "replicas"}))),
                                      whole_number(text(yaml_member(service_, {"scale"}))));
        replicas > 1)
      note("{} runs {} times; these are the settings of one", out_.name, replicas);
    const std::string unread = unread_keys(service_, {"image", "entrypoint", "command", "environment", "gpus",
                                                      "deploy", "extends", "env_file", "profiles", "scale"});
    if (!unread.empty()) note("Of {} this was not read: {}", out_.name, unread);
  }

  template <class... Parts>
  void note(fmt::format_string<const Parts&...> text, const Parts&... parts) {
    out_.notes.push_back(fmt::format(text, parts...));
  }

  const YAML::Node service_;
  ConfigContainer out_;
};

}  // namespace

bool is_compose(const YAML::Node& document) {
  return yaml_member(document, {"services"}).IsMap();
}

std::vector<ConfigContainer> compose_containers(const YAML::Node& document) {
  std::vector<ConfigContainer> containers;
  for (const auto& [name, service] : yaml_members(yaml_member(document, {"services"})))
    containers.push_back(ServiceReader(name, service).read());
  return containers;
}

}  // namespace pitwall
