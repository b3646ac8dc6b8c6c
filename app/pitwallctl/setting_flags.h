// SPDX-License-Identifier: GPL-3.0-or-later
// Settings as command line flags: names, aliases, help and defaults come from the one table of settings.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/settings/settings.h"

namespace pitwall::ctl {

class SettingFlags {
 public:
  using Select = bool (*)(const SettingInfo&);
  using Presets =
      std::vector<std::pair<std::string_view, std::string_view>>;  ///< name → this command's default

  /// Adds each selected setting to the command. A value that the table refuses is wrong usage.
  SettingFlags(CLI::App& command, Select select, Presets presets = {});
  SettingFlags(const SettingFlags&) = delete;
  SettingFlags& operator=(const SettingFlags&) = delete;

  Settings settings() const;                ///< after parsing; secrets also from the environment
  bool given(std::string_view name) const;  ///< on the command line

 private:
  struct Flag {
    const SettingInfo* info;
    std::string text;
    std::string environment;  // of a secret
    CLI::Option* option = nullptr;
  };
  void add_switch(CLI::App& command, Flag& flag);
  void add_value(CLI::App& command, Flag& flag);
  std::string_view preset(const SettingInfo& info) const;
  Presets presets_;
  std::vector<Flag> flags_;  // options hold references to the texts: reserved once, never moved
};

// Where other programs could read secrets they are overwritten; both for use once the command line has been
// parsed.
void hide_secret_arguments(int argc, char** argv);
void hide_secret_environment();

bool engine_setting(const SettingInfo& info);  ///< all but the server's
bool any_setting(const SettingInfo& info);
bool model_setting(const SettingInfo& info);  ///< --model alone
bool engine_setting_without_model(const SettingInfo& info);
bool device_setting(const SettingInfo& info);  ///< --device, --dtype, --threads

}  // namespace pitwall::ctl
