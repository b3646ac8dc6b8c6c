// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration files: an engine's own, docker compose, Kubernetes.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/base/profile_list.h"
#include "engine/plan/command_line.h"
#include "engine/plan/config_container.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_words.h"
#include "engine/plan/yaml_nodes.h"

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
    for (const auto& [key, value] : yaml_members(node))
      flatten(value, fmt::format("{}{}{}", path, path.empty() ? "" : ".", key), out, depth + 1);
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

/// As `docker run` would be pasted, so that images, shells and variables are read in one way.
Result<EngineCommand> command_of(const ConfigContainer& container, const EngineProfile* engine) {
  if (!container.words.ok()) return container.words.error();
  Words pasted = {"docker", "run"};
  for (const auto& [name, value] : container.environment)
    pasted.insert(pasted.end(), {"-e", fmt::format("{}={}", name, value)});
  pasted.push_back(container.image.empty() ? "image" : container.image);
  pasted.insert(pasted.end(), container.words->begin(), container.words->end());
  auto command = read_command(pasted, engine);
  if (!command.ok()) return command;
  if (container.gpus > 0) command->gpus = container.gpus;
  drop_filled_in(container.variables, *command);
  std::set<std::string> missing = container.variables.missing();
  for (const auto& [name, value] : container.environment) missing.erase(name);  // handed on as they are
  if (!missing.empty())
    command->notes.push_back(fmt::format("Their values are not in the file: {}", fmt::join(missing, ", ")));
  command->notes.insert(command->notes.end(), container.notes.begin(), container.notes.end());
  return command;
}

const EngineProfile* engine_of(const ConfigContainer& container) {
  return container.words.ok() ? engine_started_by(container.image, *container.words)
                              : engine_started_by(container.image, {});
}

/// What its image starts unless it is told another program: a router, a script.
bool starts_by_itself(const ConfigContainer& container) {
  if (!container.words.ok() || container.words->empty()) return true;
  return container.words->front().starts_with('-') || engine_started_by("", *container.words) != nullptr;
}

/// The first that fits, rather one that starts the engine than one of its image alone. Where no image is
/// known: the only one, or the only one with GPUs.
const ConfigContainer* choose(const std::vector<ConfigContainer>& containers, const EngineProfile* engine) {
  const ConfigContainer* by_image = nullptr;
  for (const ConfigContainer& each : containers) {
    const EngineProfile* started = engine_of(each);
    if (started == nullptr || (engine != nullptr && engine != started)) continue;
    if (starts_by_itself(each)) return &each;
    if (by_image == nullptr) by_image = &each;
  }
  if (by_image != nullptr) return by_image;
  if (containers.size() == 1) return &containers.front();
  const auto has_gpus = [](const ConfigContainer& each) { return each.gpus > 0; };
  if (std::count_if(containers.begin(), containers.end(), has_gpus) != 1) return nullptr;
  return &*std::find_if(containers.begin(), containers.end(), has_gpus);
}

/// "service chat (SGLang)", "service db (postgres)".
std::string shown(const ConfigContainer& container) {
  const EngineProfile* engine = engine_of(container);
  if (engine == nullptr && container.image.empty()) return container.name;
  return fmt::format("{} ({})", container.name, engine == nullptr ? container.image : engine->title);
}

Result<EngineCommand> read_containers(const std::vector<ConfigContainer>& containers, std::string_view called,
                                      const EngineProfile* engine) {
  const ConfigContainer* chosen = choose(containers, engine);
  if (chosen != nullptr && chosen->image.empty() && chosen->words.ok() && chosen->words->empty())
    chosen = nullptr;  // all that it runs is elsewhere
  std::string others;
  for (const ConfigContainer& each : containers) {
    if (&each != chosen) others += (others.empty() ? "" : ", ") + shown(each);
  }
  if (chosen == nullptr) {
    return bad_config(fmt::format("The file has no {} that runs a known engine", called),
                      others.empty() ? "" : fmt::format("It has {}", others),
                      "They are known by images and commands of these: " + profile_names(engine_profiles()));
  }
  auto command = command_of(*chosen, engine);
  if (command.ok() && !others.empty())
    command->notes.push_back(fmt::format("Only {} was read, not {}", chosen->name, others));
  return command;
}

/// How well an engine knows the keys of a file: how many at all, and how many as the names that it writes.
struct Acquaintance {
  std::size_t known = 0, written = 0;
  auto operator<=>(const Acquaintance&) const = default;
};

Acquaintance acquaintance(const EngineProfile& engine, const std::vector<NamedText>& config) {
  Acquaintance out;
  for (const auto& [path, value] : config) {
    const std::string flag = fmt::format("--{}", path.substr(0, path.find('.')));
    bool known = engine.config_holds_flags && !known_flag(engine, flag).empty(), written = known;
    for (const EngineSetting& setting : engine.settings) {
      for (const EngineFlag& each : setting.flags) {
        known |= !each.config.empty() && each.config == path;
        for (std::size_t i = 1; i < each.names.size(); ++i)
          written &= !same_flag(each.names[i], flag);  // an alias
      }
    }
    out.known += known ? 1 : 0;
    out.written += written ? 1 : 0;
  }
  return out;
}

/// Keys alone: the engine that knows most of them. The note says where that was a guess.
Result<const EngineProfile*> engine_of_keys(const std::vector<NamedText>& config, std::string& note) {
  const EngineProfile* best = nullptr;
  Acquaintance most;
  std::vector<std::string> as_good;
  for (const EngineProfile& engine : engine_profiles()) {
    const Acquaintance one = acquaintance(engine, config);
    if (one.known == 0 || one < most) continue;
    if (one > most) {
      best = &engine;
      most = one;
      as_good.clear();
    } else {
      as_good.push_back(engine.title);
    }
  }
  if (best == nullptr) {
    return bad_config("It cannot be told which engine this configuration is for",
                      "No engine knows one of its keys",
                      "Name it with --from: " + profile_names(engine_profiles()));
  }
  note = fmt::format("Read as a configuration of {}", best->title);
  if (!as_good.empty())
    note += fmt::format(", which is a guess: {} would take its keys as well, and --from decides",
                        fmt::join(as_good, ", "));
  return best;
}

Result<EngineCommand> read_own(const YAML::Node& document, const EngineProfile* engine) {
  EngineCommand command;
  flatten(document, "", command.config);
  if (command.config.empty() || command.config.front().first.empty()) {
    return bad_config("The configuration holds no keys", "",
                      "Give a YAML or JSON file of an engine's settings, a compose file or a manifest");
  }
  command.engine = engine;
  if (engine == nullptr) {
    std::string note;
    const auto found = engine_of_keys(command.config, note);
    if (!found.ok()) return found.error();
    command.engine = *found;
    command.notes.push_back(std::move(note));
  }
  return command;
}

Result<EngineCommand> read_documents(const std::vector<YAML::Node>& all, const EngineProfile* engine) {
  std::vector<YAML::Node> documents;  // assigning one node to another changes what both stand for
  std::copy_if(all.begin(), all.end(), std::back_inserter(documents),
               [](const YAML::Node& each) { return !each.IsNull(); });
  if (std::any_of(documents.begin(), documents.end(), is_manifest))
    return read_containers(manifest_containers(documents), "container", engine);
  const auto compose = std::find_if(documents.begin(), documents.end(), is_compose);
  const YAML::Node document = compose != documents.end() ? *compose
                              : documents.empty()        ? YAML::Node()
                                                         : documents.front();
  auto command = compose != documents.end() ? read_containers(compose_containers(document), "service", engine)
                                            : read_own(document, engine);
  if (!command.ok()) return command;
  if (documents.size() > 1)
    command->notes.push_back(fmt::format("The file holds {} documents, and one was read", documents.size()));
  if (compose != documents.end() && !yaml_member(document, {"include"}).IsNull())
    command->notes.push_back("The files that it includes were not read");
  return command;
}

/// Where a template's marks make no YAML, or YAML of no sense.
bool is_template(std::string_view text) {
  static constexpr std::string_view kHelm[] = {".Values", ".Release", ".Chart", "include \"", "toYaml"};
  return text.find("{{") != std::string_view::npos &&
         std::any_of(std::begin(kHelm), std::end(kHelm),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

Error unreadable(std::string_view text, std::string cause) {
  const bool marks = text.find("{{") != std::string_view::npos;
  return bad_config("The configuration cannot be read", std::move(cause),
                    marks ? "Give a YAML or JSON file; if this is a template, fill in what stands in {{ }}"
                          : "Give a YAML or JSON file");
}

}  // namespace

Result<EngineCommand> read_config(std::string_view text, const EngineProfile* engine) {
  if (is_template(text)) {
    return bad_config("The configuration is a template of Helm",
                      "It holds {{ }}, which a chart's values fill in",
                      "Give what Helm makes of it: helm template NAME CHART");
  }
  try {
    return read_documents(YAML::LoadAll(std::string(text)), engine);
  } catch (const YAML::Exception& problem) {
    const YAML::Mark& at = problem.mark;
    return unreadable(
        text, at.is_null() ? problem.msg
                           : fmt::format("Line {}, column {}: {}", at.line + 1, at.column + 1, problem.msg));
  } catch (const std::exception& problem) {
    return unreadable(text, problem.what());
  }
}

}  // namespace pitwall
