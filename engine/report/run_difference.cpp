// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/run_difference.h"

#include <algorithm>

namespace pitwall {

namespace {

const std::string* value_in(const std::vector<ConfigEntry>& config, const std::string& name) {
  const auto found =
      std::find_if(config.begin(), config.end(), [&](const ConfigEntry& one) { return one.name == name; });
  return found == config.end() ? nullptr : &found->value;
}

void compare(RunDifference& difference, const std::string& name, const std::string* before,
             const std::string* after) {
  if (name.starts_with("checklist.") || name.starts_with("sweep.") || name == "load.seed") return;
  const std::string from = before != nullptr ? *before : "", to = after != nullptr ? *after : "";
  if (from == to) return;
  auto& keys = name.starts_with("load.") ? difference.load : difference.settings;
  keys.push_back({name.starts_with("load.") ? name.substr(5) : name, from, to});
}

}  // namespace

RunDifference run_difference(const RunHeader& before, const RunHeader& after) {
  RunDifference difference;
  for (const ConfigEntry& entry : before.config)
    compare(difference, entry.name, &entry.value, value_in(after.config, entry.name));
  for (const ConfigEntry& entry : after.config)
    if (value_in(before.config, entry.name) == nullptr)
      compare(difference, entry.name, nullptr, &entry.value);
  const auto add = [&](const char* name, const std::string& from, const std::string& to) {
    if (from != to) difference.environment.push_back({name, from, to});
  };
  const auto number = [](std::int64_t value) { return value > 0 ? std::to_string(value) : std::string(); };
  add("device", before.device, after.device);
  add("processor", before.cpu, after.cpu);
  add("cores", number(before.cores), number(after.cores));
  add("memory", number(before.ram), number(after.ram));
  add("system", before.os, after.os);
  add("model", before.model_name, after.model_name);
  add("model header sha256", before.model_sha256, after.model_sha256);
  add("version", before.engine_version, after.engine_version);
  add("commit", before.git_commit, after.git_commit);
  add("build", before.build_flags, after.build_flags);
  return difference;
}

}  // namespace pitwall
