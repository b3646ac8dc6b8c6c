// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration files: an engine's own, docker compose, Kubernetes.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/plan/command_line.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_words.h"

namespace pitwall {

namespace {

constexpr std::size_t kMostValues = 10000;
constexpr int kMostLevels = 32;

Error bad_config(std::string what, std::string cause, std::string action) {
  return {Error::Kind::invalid_input, std::move(what), std::move(cause), std::move(action), "config"};
}

/// A list of scalars becomes "1,2,4"; other lists get their index into the path.
bool scalars(const YAML::Node& list) {
  return std::all_of(list.begin(), list.end(), [](const YAML::Node& each) { return each.IsScalar(); });
}

void flatten(const YAML::Node& node, const std::string& path, std::vector<NamedText>& out, int depth = 0) {
  if (out.size() > kMostValues || depth > kMostLevels)  // aliases can make a small file endless
    throw std::length_error("it holds too many values, or itself");
  if (node.IsMap()) {
    for (const auto& each : node)
      flatten(each.second, fmt::format("{}{}{}", path, path.empty() ? "" : ".", each.first.as<std::string>()),
              out, depth + 1);
  } else if (node.IsSequence() && scalars(node)) {
    std::string text;
    for (const YAML::Node& each : node)
      text += fmt::format("{}{}", text.empty() ? "" : ",", each.as<std::string>());
    out.emplace_back(path, text);
  } else if (node.IsSequence()) {
    std::size_t index = 0;
    for (const YAML::Node& each : node) flatten(each, fmt::format("{}.{}", path, index++), out, depth + 1);
  } else if (node.IsScalar() || (node.IsNull() && !path.empty())) {
    out.emplace_back(path, node.IsNull() ? "null" : node.as<std::string>());
  }
}

/// A command as a list of words, or as one text.
Words words_of(const YAML::Node& node) {
  Words words;
  if (!node) return words;
  if (node.IsSequence()) {
    for (const YAML::Node& each : node) words.push_back(each.as<std::string>());
  } else if (node.IsScalar()) {
    const auto commands = split_shell(node.as<std::string>());
    if (commands.ok() && !commands->empty()) words = commands->front();
  }
  return words;
}

/// Compose and Kubernetes take two dollars for one.
void unescape(std::string& text) {
  for (std::size_t at = text.find("$$"); at != std::string::npos; at = text.find("$$", at + 1))
    text.erase(at, 1);
}

/// The command behind an image, as `docker run` would be pasted.
Result<EngineCommand> command_of(const std::string& image, Words words, std::vector<NamedText> environment,
                                 int gpus, const EngineProfile* engine) {
  for (std::string& word : words) unescape(word);
  for (auto& [name, value] : environment) unescape(value);
  Words pasted = {"docker", "run", image};
  pasted.insert(pasted.end(), words.begin(), words.end());
  auto command = read_command(pasted, engine);
  if (!command.ok()) return command;
  command->environment.insert(command->environment.end(), environment.begin(), environment.end());
  if (gpus > 0) command->gpus = gpus;
  return command;
}

const EngineProfile* engine_of(const std::string& image) {
  const auto command = read_command(Words{"docker", "run", image}, nullptr);
  return command.ok() ? command->engine : nullptr;
}

std::vector<NamedText> compose_environment(const YAML::Node& node) {
  std::vector<NamedText> out;
  if (!node) return out;
  if (node.IsMap()) {
    for (const auto& each : node)
      out.emplace_back(each.first.as<std::string>(),
                       each.second.IsScalar() ? each.second.as<std::string>() : "");
  } else if (node.IsSequence()) {
    for (const YAML::Node& each : node) {
      const std::string text = each.as<std::string>();
      const std::size_t equals = std::min(text.find('='), text.size());
      out.emplace_back(text.substr(0, equals), text.substr(std::min(equals + 1, text.size())));
    }
  }
  return out;
}

int compose_gpus(const YAML::Node& service) {
  const YAML::Node devices =
      service["deploy"] ? service["deploy"]["resources"]["reservations"]["devices"] : YAML::Node();
  if (!devices || !devices.IsSequence()) return 0;
  for (const YAML::Node& device : devices) {
    if (device["device_ids"]) return static_cast<int>(device["device_ids"].size());
    if (device["count"]) return device["count"].as<int>(0);
  }
  return 0;
}

Result<EngineCommand> read_compose(const YAML::Node& services, const EngineProfile* engine) {
  YAML::Node chosen;
  for (const auto& each : services) {
    const std::string image = each.second["image"] ? each.second["image"].as<std::string>() : "";
    const EngineProfile* of_image = engine_of(image);
    const bool fits = of_image != nullptr && (engine == nullptr || engine == of_image);
    if (fits || services.size() == 1) chosen.reset(each.second);
    if (fits) break;
  }
  if (!chosen.IsMap() || !chosen["image"]) {
    return bad_config("The compose file has no service that runs a known engine", "",
                      "These are known by their images: " + profile_names(engine_profiles()));
  }
  Words words = words_of(chosen["entrypoint"]);
  for (std::string& word : words_of(chosen["command"])) words.push_back(std::move(word));
  return command_of(chosen["image"].as<std::string>(), std::move(words),
                    compose_environment(chosen["environment"]), compose_gpus(chosen), engine);
}

Result<EngineCommand> read_container(const YAML::Node& container, const EngineProfile* engine) {
  std::vector<NamedText> environment;
  for (const YAML::Node& each : container["env"])
    environment.emplace_back(each["name"].as<std::string>(),
                             each["value"] ? each["value"].as<std::string>() : "");
  Words words = words_of(container["command"]);
  for (std::string& word : words_of(container["args"])) words.push_back(std::move(word));
  const YAML::Node limits = container["resources"] ? container["resources"]["limits"] : YAML::Node();
  const int gpus = limits && limits["nvidia.com/gpu"] ? limits["nvidia.com/gpu"].as<int>(0) : 0;
  return command_of(container["image"].as<std::string>(), std::move(words), std::move(environment), gpus,
                    engine);
}

/// The containers of a Deployment, StatefulSet, Job or Pod.
YAML::Node containers_of(const YAML::Node& document) {
  if (!document.IsMap() || !document["kind"] || !document["spec"]) return {};
  const YAML::Node spec = document["spec"];
  if (spec["containers"]) return spec["containers"];
  return spec["template"] && spec["template"]["spec"] ? spec["template"]["spec"]["containers"] : YAML::Node();
}

/// Keys alone: the engine that knows most of them.
Result<const EngineProfile*> engine_of_keys(const std::vector<NamedText>& config) {
  const EngineProfile* best = nullptr;
  std::size_t most = 0;
  for (const EngineProfile& engine : engine_profiles()) {
    std::size_t known = 0;
    for (const auto& [path, value] : config) {
      bool here = engine.config_holds_flags &&
                  !known_flag(engine, fmt::format("--{}", path.substr(0, path.find('.')))).empty();
      for (const EngineSetting& setting : engine.settings) {
        for (const EngineFlag& flag : setting.flags) here |= !flag.config.empty() && flag.config == path;
      }
      known += here ? 1 : 0;
    }
    if (known > most) best = &engine;
    most = std::max(most, known);
  }
  if (best != nullptr) return best;
  return bad_config("It cannot be told which engine this configuration is for",
                    "No engine knows one of its keys",
                    "Name it with --from: " + profile_names(engine_profiles()));
}

Result<EngineCommand> read_documents(const std::vector<YAML::Node>& documents, const EngineProfile* engine) {
  for (const YAML::Node& document : documents) {
    const YAML::Node containers = containers_of(document);
    if (containers && containers.IsSequence() && containers.size() > 0)
      return read_container(containers[0], engine);
    if (document.IsMap() && document["services"] && document["services"].IsMap())
      return read_compose(document["services"], engine);
  }
  EngineCommand command;
  if (!documents.empty()) flatten(documents.front(), "", command.config);
  if (command.config.empty() || command.config.front().first.empty()) {
    return bad_config("The configuration holds no keys", "",
                      "Give a YAML or JSON file of an engine's settings, a compose file or a manifest");
  }
  command.engine = engine;
  if (engine == nullptr) {
    const auto found = engine_of_keys(command.config);
    if (!found.ok()) return found.error();
    command.engine = *found;
    command.notes.push_back(fmt::format("Read as a configuration of {}", command.engine->title));
  }
  return command;
}

}  // namespace

Result<EngineCommand> read_config(std::string_view text, const EngineProfile* engine) {
  try {
    return read_documents(YAML::LoadAll(std::string(text)), engine);
  } catch (const YAML::Exception& problem) {
    const YAML::Mark& at = problem.mark;
    return bad_config("The configuration cannot be read",
                      at.is_null()
                          ? problem.msg
                          : fmt::format("Line {}, column {}: {}", at.line + 1, at.column + 1, problem.msg),
                      "Give a YAML or JSON file");
  } catch (const std::exception& problem) {
    return bad_config("The configuration cannot be read", problem.what(), "Give a YAML or JSON file");
  }
}

}  // namespace pitwall
