// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pitwallctl/setting_flags.h"

#include <algorithm>

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
    if (select(info)) flags_.push_back({&info, {}});
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
    const bool on_line = flag.option->count() > 0;
    const std::string_view text = on_line ? std::string_view(flag.text) : preset(*flag.info);
    if (!on_line && text == flag.info->default_text) continue;
    // Checked while parsing, or written in this program.
    [[maybe_unused]] const auto set =
        settings.set(flag.info->name, text, on_line ? SettingOrigin::user : SettingOrigin::preset);
    assert(set.ok());
  }
  return settings;
}

bool SettingFlags::given(std::string_view name) const {
  return std::any_of(flags_.begin(), flags_.end(),
                     [&](const Flag& flag) { return flag.info->name == name && flag.option->count() > 0; });
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
