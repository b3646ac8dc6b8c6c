// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/setting_flags.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace pitwall::ctl {

namespace {

std::vector<std::string_view> names_of(const SettingInfo& info) {
  std::vector<std::string_view> names{info.name};
  std::string_view rest = info.aliases;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    names.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return names;
}

std::string type_name(const SettingInfo& info) {
  if (!info.choices.empty()) return std::string(info.choices);
  switch (info.type) {
    case SettingType::integer:
      return "N";
    case SettingType::real:
      return "NUMBER";
    case SettingType::size:
      return "SIZE";
    default:
      return "TEXT";
  }
}

}  // namespace

SettingFlags::SettingFlags(CLI::App& command, Select select, Presets presets) : presets_(std::move(presets)) {
  for (const SettingInfo& info : setting_table()) {
    if (!select(info)) continue;
    const char* environment = info.secret ? std::getenv(environment_name(info).c_str()) : nullptr;
    flags_.push_back({&info, {}, environment != nullptr ? environment : ""});
  }
  for (Flag& flag : flags_) {
    flag.info->type == SettingType::flag ? add_switch(command, flag) : add_value(command, flag);
    flag.option->group(std::string(flag.info->group));
    if (flag.info->name == "model") flag.option->required();
  }
}

void SettingFlags::add_switch(CLI::App& command, Flag& flag) {
  std::string names;
  for (const std::string_view name : names_of(*flag.info)) {
    names.append(names.empty() ? "--" : ",--")
        .append(name)
        .append("{true},--no-")
        .append(name)
        .append("{false}");
  }
  flag.option = command.add_flag(names, flag.text, std::string(flag.info->help));
  flag.option->default_str(std::string(preset(*flag.info)));
}

void SettingFlags::add_value(CLI::App& command, Flag& flag) {
  std::string names;
  for (const std::string_view name : names_of(*flag.info))
    names.append(names.empty() ? "--" : ",--").append(name);
  flag.option = command.add_option(names, flag.text, std::string(flag.info->help));
  flag.option->default_str(std::string(preset(*flag.info)));
  flag.option->type_name(type_name(*flag.info));
  if (flag.info->list) flag.option->join(',');
  flag.option->check([name = flag.info->name](const std::string& text) {
    const auto set = Settings().set(name, text);
    return set.ok() ? std::string() : set.error().text();
  });
}

std::string_view SettingFlags::preset(const SettingInfo& info) const {
  for (const auto& [name, text] : presets_) {
    if (name == info.name) return text;
  }
  return info.default_text;
}

Settings SettingFlags::settings() const {
  Settings settings;
  for (const Flag& flag : flags_) {
    const bool on_line = flag.option->count() > 0, in_environment = !on_line && !flag.environment.empty();
    const std::string_view text = on_line          ? std::string_view(flag.text)
                                  : in_environment ? std::string_view(flag.environment)
                                                   : preset(*flag.info);
    if (!on_line && text == flag.info->default_text) continue;
    const SettingOrigin origin = on_line          ? SettingOrigin::user
                                 : in_environment ? SettingOrigin::environment
                                                  : SettingOrigin::preset;
    // Checked while parsing, or written in this program; a secret is any text.
    [[maybe_unused]] const auto set = settings.set(flag.info->name, text, origin);
    assert(set.ok());
  }
  return settings;
}

bool SettingFlags::given(std::string_view name) const {
  return std::any_of(flags_.begin(), flags_.end(),
                     [&](const Flag& flag) { return flag.info->name == name && flag.option->count() > 0; });
}

namespace {

void hide(char* text) {
  std::memset(text, 'x', std::strlen(text));
}

}  // namespace

void hide_secret_arguments(int argc, char** argv) {
  for (const SettingInfo& info : setting_table()) {
    if (!info.secret) continue;
    const std::string flag = "--" + std::string(info.name), with_value = flag + "=";
    for (int i = 1; i < argc; ++i) {
      if (argv[i] == flag && i + 1 < argc) hide(argv[i + 1]);
      if (std::string_view(argv[i]).starts_with(with_value)) hide(argv[i] + with_value.size());
    }
  }
}

void hide_secret_environment() {
  for (const SettingInfo& info : setting_table()) {
    if (!info.secret) continue;
    const std::string name = environment_name(info);
    if (char* value = std::getenv(name.c_str())) hide(value);
    unsetenv(name.c_str());
  }
}

bool engine_setting(const SettingInfo& info) {
  return info.group != "Server";
}
bool any_setting(const SettingInfo&) {
  return true;
}
bool engine_setting_without_model(const SettingInfo& info) {
  return engine_setting(info) && !model_setting(info);
}

bool model_setting(const SettingInfo& info) {
  return info.name == "model";
}
bool device_setting(const SettingInfo& info) {
  return info.group == "Compute";
}

}  // namespace pitwall::ctl
