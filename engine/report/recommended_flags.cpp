// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/recommended_flags.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/plan/engine_profile.h"
#include "engine/plan/flag_reader.h"
#include "engine/plan/flag_writer.h"
#include "engine/plan/gpu_profile.h"
#include "engine/report/report_content.h"

namespace pitwall {

namespace {

constexpr std::string_view kJson = "json";

std::string own_command(const Checklist& checklist, const Settings& settings) {
  std::vector<ConfigEntry> config;
  for (const Settings::Entry& entry : settings.entries())
    config.push_back({entry.name, entry.value, entry.default_value, entry.origin, entry.changed});
  return serve_command(checklist.model.empty() ? "MODEL" : checklist.model, config);
}

std::string own_json(const Settings& settings) {
  nlohmann::ordered_json changed = nlohmann::ordered_json::object();
  const auto all = nlohmann::ordered_json::parse(settings.to_json());
  for (const Settings::Entry& entry : settings.entries())
    if (entry.changed) changed[entry.name] = all[entry.name];
  return changed.dump(2);
}

/// The devices of a simulation are not those that the settings then meet.
std::vector<std::string> device_notes(const Checklist& checklist) {
  const auto gpus = parse_gpu_count(checklist.gpus);
  if (checklist.target != TuneTarget::simulator || !gpus) return {};
  if (gpus->count > 1)
    return {fmt::format("Measured in the simulator on {} x {}; Pitwall serves on one device alone",
                        gpus->count, gpus->name)};
  return {
      fmt::format("Measured in the simulator on {}; Pitwall serves on the CPU, or with --device cuda on "
                  "the GPU that is there",
                  gpus->name)};
}

/// A simulation takes a model's shape; serving takes its weights.
std::vector<std::string> weight_notes(const Checklist& checklist) {
  const std::string repository = weights_elsewhere(checklist);
  if (repository.empty()) return {};
  return {fmt::format("{} is a description without weights: fetch {}, then give its folder to --model",
                      checklist.model, repository)};
}

RecommendedFlags own_flags(const Checklist& checklist, const Settings& settings) {
  RecommendedFlags flags{own_command(checklist, settings), device_notes(checklist)};
  for (std::string& note : weight_notes(checklist)) flags.notes.push_back(std::move(note));
  return flags;
}

/// Settings that other engines have a word for; those of ours alone become notes. What was measured by our
/// defaults is told where theirs are others.
Result<RecommendedFlags> other_command(const Checklist& checklist, const Settings& settings,
                                       const EngineProfile& engine) {
  RecommendedFlags flags;
  EngineReading measured;
  measured.engine = find_engine(kOwnEngine).value();
  EngineSettings& told = measured.settings;
  if (!checklist.model.empty()) told.values["model"] = checklist.model;
  if (const auto gpus = parse_gpu_count(checklist.gpus); gpus && gpus->count > 1)
    told.values["tensor-parallel-size"] = std::to_string(gpus->count);
  for (const Settings::Entry& entry : settings.entries()) {
    if (!entry.changed) continue;
    const EngineSettingInfo* info = find_engine_setting(entry.name);
    if (info == nullptr) {
      flags.notes.push_back(entry.name + " " + entry.value + ": " + engine.title + " has no word for it");
      continue;
    }
    const auto value = canonical_value(*info, entry.value, entry.name);
    if (!value) return value.error();
    told.values[entry.name] = *value;
  }
  const WrittenFlags written = translate(measured, engine, std::nullopt);
  flags.text = command_text(written);
  if (!written.config.empty()) flags.text += "\n# " + written.config_name + ":\n" + written.config;
  flags.notes.insert(flags.notes.end(), written.notes.begin(), written.notes.end());
  return flags;
}

}  // namespace

std::vector<FlagsForm> flags_forms() {
  std::vector<FlagsForm> forms{{std::string(kOwnEngine), "Pitwall"}, {std::string(kJson), "Pitwall, JSON"}};
  for (const EngineProfile& engine : engine_profiles())
    if (engine.name != kOwnEngine && !engine.study) forms.push_back({engine.name, engine.title});
  return forms;
}

bool is_any_judged(const Checklist& checklist, const std::vector<ItemResult>& results) {
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].pairs > 0 || checklist.items[i].decided()) return true;
  return false;
}

Result<RecommendedFlags> recommended_flags(const Checklist& checklist, const std::vector<ItemResult>& results,
                                           std::string_view form) {
  const auto settings = recommended_settings(checklist, results);
  if (!settings) return settings.error();
  if (form == kOwnEngine) return own_flags(checklist, *settings);
  if (form == kJson) return RecommendedFlags{own_json(*settings), device_notes(checklist)};
  const auto engine = find_engine(form);
  if (!engine) return engine.error();
  return other_command(checklist, *settings, **engine);
}

}  // namespace pitwall
