// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/plan/engine_settings.h"

namespace pitwall {

std::span<const std::string_view> embedded_engine_profiles();  // written by CMake from profiles/engines

namespace {

using json = nlohmann::ordered_json;  // settings are written in the file's order
using Strings = std::vector<std::string>;

Strings strings(const json& document, const char* key) {
  const auto found = document.find(key);
  if (found == document.end()) return {};
  return found->is_string() ? Strings{found->get<std::string>()} : found->get<Strings>();
}

Strings named(const json& document, const char* first, const char* others) {
  Strings all = strings(document, first);
  for (std::string& each : strings(document, others)) all.push_back(std::move(each));
  return all;
}

void refuse_unknown_keys(const json& document, std::span<const std::string_view> known) {
  for (const auto& [key, value] : document.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw std::invalid_argument("the key " + key + " is not known");
  }
}

Bytes mebibytes(const json& document, const char* key) {
  return static_cast<Bytes>(document.at(key).get<double>() * static_cast<double>(kMiB));
}

EngineDefault default_of_place(const json& document) {
  static constexpr std::string_view kKeys[] = {"gpus", "memory_gib", "ranks", "value"};
  refuse_unknown_keys(document, kKeys);
  EngineDefault found;
  found.gpus = strings(document, "gpus");
  found.memory = document.value("memory_gib", Bytes{0}) * kGiB;
  found.ranks = document.value("ranks", 1);
  document.at("value").get_to(found.value);
  return found;
}

EngineReserve reserve_of(const json& document) {
  static constexpr std::string_view kKeys[] = {
      "mib",           "mib_of_token",        "mib_of_rank",        "mib_of_graph_row", "least_tokens",
      "large_gpu_mib", "large_gpu_least_mib", "mib_of_replica_row", "many_rows",        "mib_of_many_rows"};
  refuse_unknown_keys(document, kKeys);
  return {.fixed = mebibytes(document, "mib"),
          .of_token = mebibytes(document, "mib_of_token"),
          .of_rank = mebibytes(document, "mib_of_rank"),
          .of_graph_row = mebibytes(document, "mib_of_graph_row"),
          .of_replica_row = mebibytes(document, "mib_of_replica_row"),
          .of_many_rows = mebibytes(document, "mib_of_many_rows"),
          .many_rows = document.at("many_rows"),
          .least_tokens = document.at("least_tokens"),
          .large_gpu = mebibytes(document, "large_gpu_mib"),
          .least_on_large = mebibytes(document, "large_gpu_least_mib")};
}

EngineFlag flag_of(const json& document) {
  static constexpr std::string_view kKeys[] = {
      "flag",    "aliases", "on",     "on_aliases",   "off",      "off_aliases",        "config",
      "also",    "needs",   "key",    "values",       "open",     "environment",        "human",
      "words",   "whole",   "unit",   "per_rank",     "one_each", "shared_slots",       "default",
      "source",  "meaning", "most",   "gone",         "factor",   "factor_environment", "default_on",
      "reserve", "step",    "powers", "all_replicas", "with",     "deals_experts"};
  refuse_unknown_keys(document, kKeys);
  EngineFlag flag;
  flag.names = named(document, "flag", "aliases");
  flag.on = named(document, "on", "on_aliases");
  flag.off = named(document, "off", "off_aliases");
  flag.config = document.value("config", "");
  flag.environment = document.value("environment", "");
  flag.key = document.value("key", "");
  flag.also = strings(document, "also");
  flag.needs = strings(document, "needs");
  const json values = document.value("values", json::object());
  for (const auto& [ours, theirs] : values.items())
    flag.values.emplace_back(ours, theirs.is_string() ? Strings{theirs} : theirs.get<Strings>());
  flag.open = document.value("open", false);
  flag.human = document.value("human", false);
  flag.words = document.value("words", false);
  flag.whole = document.value("whole", false);
  flag.per_rank = document.value("per_rank", false);
  flag.shared_slots = document.value("shared_slots", false);
  flag.one_each = document.value("one_each", false);
  flag.all_replicas = document.value("all_replicas", false);
  flag.deals_experts = document.value("deals_experts", false);
  const json with = document.value("with", json::object());
  for (const auto& [setting, value] : with.items()) flag.with = {setting, value};
  flag.unit = document.value("unit", "");
  flag.most = document.value("most", std::int64_t{0});
  flag.step = document.value("step", std::int64_t{1});
  flag.powers = document.value("powers", false);
  flag.gone = document.value("gone", false);
  flag.factor = document.value("factor", 1.0);
  flag.factor_environment = document.value("factor_environment", "");
  flag.default_value = document.value("default", "");
  for (const json& each : document.value("default_on", json::array()))
    flag.defaults.push_back(default_of_place(each));
  if (const auto reserve = document.find("reserve"); reserve != document.end())
    flag.reserve = reserve_of(*reserve);
  flag.meaning = document.value("meaning", "");
  flag.source = document.at("source");
  if (flag.source.empty()) throw std::invalid_argument("a flag names no source");
  flag.verified =
      flag.source.find('~') == std::string::npos && flag.source.find("unverified") == std::string::npos;
  if (flag.names.empty() && flag.on.empty() && flag.off.empty() && flag.config.empty() &&
      flag.environment.empty() && flag.default_value.empty())
    throw std::invalid_argument("neither flag, on, off, config, environment nor default is given");
  return flag;
}

EngineSetting setting_of(const std::string& name, const json& document) {
  const EngineSettingInfo* info = find_engine_setting(name);
  if (info == nullptr) throw std::invalid_argument("the setting is not in engine_settings.cpp");
  EngineSetting setting{name, {}};
  if (document.is_array()) {
    for (const json& each : document) setting.flags.push_back(flag_of(each));
  } else {
    setting.flags.push_back(flag_of(document));
  }
  const auto check_default = [&](const std::string& text) {
    if (text.empty()) return;
    const auto value = canonical_value(*info, text, "default");
    if (!value.ok()) throw std::invalid_argument(value.error().text());
    if (*value != text) throw std::invalid_argument(fmt::format("write the default {} as {}", text, *value));
  };
  for (const EngineFlag& flag : setting.flags) {
    check_default(flag.default_value);
    for (const EngineDefault& each : flag.defaults) check_default(each.value);
  }
  return setting;
}

EngineLimit limit_of(const json& document) {
  static constexpr std::string_view kKeys[] = {"setting", "most",   "below",   "multiple_of",
                                               "raises",  "unless", "derived", "source"};
  refuse_unknown_keys(document, kKeys);
  EngineLimit limit;
  document.at("setting").get_to(limit.setting);
  limit.multiple = document.contains("multiple_of");
  document.at(limit.multiple ? "multiple_of" : "most").get_to(limit.most);
  limit.below = document.value("below", false);
  limit.raises = document.value("raises", false);
  limit.unless = document.value("unless", "");
  limit.derived = strings(document, "derived");
  document.at("source").get_to(limit.source);
  return limit;
}

EngineWindowPool window_pool_of(const json& document) {
  EngineWindowPool pool;
  document.at("families").get_to(pool.families);
  document.at("share").get_to(pool.share);
  document.at("source").get_to(pool.source);
  if (!(pool.share > 0)) throw std::invalid_argument("a window pool's share has to be above 0");
  return pool;
}

EngineShortening shortening_of(const json& document) {
  EngineShortening shortening;
  shortening.stated = document.value("stated", false);
  shortening.least = document.value("least", shortening.least);
  document.at("source").get_to(shortening.source);
  return shortening;
}

EngineContainer container_of(const json& document) {
  EngineContainer container;
  document.at("image").get_to(container.image);
  document.at("source").get_to(container.source);
  document.at("command").get_to(container.command);
  document.at("port").get_to(container.port);
  document.at("health").get_to(container.health);
  document.at("cache").get_to(container.cache);
  document.at("token").get_to(container.token);
  container.paths = strings(document, "paths");
  return container;
}

EngineProfile profile_of(const json& document) {
  EngineProfile engine;
  document.at("name").get_to(engine.name);
  document.at("title").get_to(engine.title);
  engine.aliases = strings(document, "aliases");
  document.at("version").get_to(engine.version);
  document.at("source").get_to(engine.source);
  document.at("programs").get_to(engine.programs);
  engine.images = strings(document, "images");
  document.at("command").get_to(engine.command);
  document.at("kv_law").get_to(engine.kv_law);
  if (const auto pool = document.find("window_pool"); pool != document.end())
    engine.window_pool = window_pool_of(*pool);
  if (const auto shortens = document.find("shortens"); shortens != document.end())
    engine.shortens = shortening_of(*shortens);
  if (const auto config = document.find("config"); config != document.end()) {
    engine.config_flags = named(*config, "flag", "aliases");
    engine.config_holds_flags = config->value("holds_flags", false);
  }
  engine.environment_prefix = document.value("environment_prefix", "");
  engine.environment_is_flags = document.value("environment_is_flags", false);
  engine.keywords = document.value("keywords", false);
  engine.study = document.value("study", false);
  if (const auto weights = document.find("refused_weights"); weights != document.end())
    weights->at("formats").get_to(engine.refused_weights), weights->at("source");
  engine.model_length_holds = document.value("model_length_holds", "");
  engine.experts_are_needed = document.value("experts_are_needed", false);
  engine.deals_layers = document.value("deals_layers", false);
  engine.model_files = document.value("model_files", "");
  for (const auto& [name, value] : document.at("settings").items()) {
    try {
      engine.settings.push_back(setting_of(name, value));
    } catch (const std::exception& problem) {
      throw std::invalid_argument(fmt::format("{}: {}: {}", engine.name, name, problem.what()));
    }
  }
  for (const json& each : document.value("limits", json::array())) {
    engine.limits.push_back(limit_of(each));
    const EngineLimit& limit = engine.limits.back();
    for (const std::string* name : {&limit.setting, &limit.most}) {
      if (engine.find(*name) == nullptr)
        throw std::invalid_argument(fmt::format("{}: a limit is of {}, no setting", engine.name, *name));
    }
  }
  engine.switches = strings(document, "switches");
  engine.valued = strings(document, "valued");
  engine.several = strings(document, "several");
  const json unplanned = document.value("unplanned", json::object());
  for (const auto& [flag, change] : unplanned.items()) engine.unplanned.emplace_back(flag, change);
  if (const auto found = document.find("container"); found != document.end())
    engine.container = container_of(*found);
  return engine;
}

std::string of_one_replica(const std::string& value, int replicas) {
  return fmt::format("{}", std::max(std::stoll(value) / replicas, 1LL));
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char letter) { return letter >= 'A' && letter <= 'Z' ? char(letter + 32) : letter; });
  return out;
}

}  // namespace

const std::string& EngineFlag::shown() const {
  if (!names.empty()) return names.front();
  if (!on.empty()) return on.front();
  if (!off.empty()) return off.front();
  return config.empty() ? environment : config;  // empty where it is not told at all
}

bool EngineWindowPool::holds(std::string_view architecture) const {
  return std::any_of(families.begin(), families.end(),
                     [&](const std::string& family) { return architecture.starts_with(family); });
}

bool EngineDefault::holds(const EnginePlace& place) const {
  const bool named = gpus.empty() || std::any_of(gpus.begin(), gpus.end(), [&](const std::string& name) {
                       return place.gpu.starts_with(name);
                     });
  return named && place.memory >= memory && place.ranks >= ranks;
}

std::string EngineProfile::default_of(std::string_view setting, const EnginePlace& place) const {
  const EngineSetting* found = find(setting);
  if (found == nullptr) return "";
  const EngineFlag& flag = found->flags.front();
  if (!flag.defaults.empty() && place.gpu.empty()) return "";
  const auto here = std::find_if(flag.defaults.begin(), flag.defaults.end(),
                                 [&](const EngineDefault& each) { return each.holds(place); });
  const std::string& value = here == flag.defaults.end() ? flag.default_value : here->value;
  return flag.all_replicas && !value.empty() ? of_one_replica(value, place.replicas) : value;
}

const EngineSetting* EngineProfile::find(std::string_view setting) const {
  for (const EngineSetting& each : settings) {
    if (each.name == setting) return &each;
  }
  return nullptr;
}

Result<EngineProfile> parse_engine_profile(std::string_view text) {
  try {
    return profile_of(json::parse(text));
  } catch (const std::exception& problem) {
    return Error{Error::Kind::invalid_input, "An engine profile cannot be read", problem.what(),
                 "Compare it with the other files of profiles/engines", ""};
  }
}

const std::vector<EngineProfile>& engine_profiles() {
  static const std::vector<EngineProfile> profiles =
      parse_profiles(embedded_engine_profiles(), parse_engine_profile);
  return profiles;
}

Result<const EngineProfile*> find_engine(std::string_view name) {
  const std::string wanted = lower(name);
  for (const EngineProfile& engine : engine_profiles()) {
    const auto& aliases = engine.aliases;
    if (engine.name == wanted || lower(engine.title) == wanted ||
        std::find(aliases.begin(), aliases.end(), wanted) != aliases.end())
      return &engine;
  }
  return Error{Error::Kind::not_found, "There is no engine " + quote_for_message(name), "",
               "These are known: " + profile_names(engine_profiles()), "engine"};
}

}  // namespace pitwall
