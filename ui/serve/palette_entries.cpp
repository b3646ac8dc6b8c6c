// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/palette_entries.h"

#include "engine/settings/settings.h"
#include "ui/shell/model_path.h"

namespace pitwall::ui {

std::vector<PaletteEntry> serve_palette_entries(const QStringList& recent_models,
                                                std::function<void(const std::string& name)> show_setting,
                                                std::function<void(const QString& path)> choose_model) {
  std::vector<PaletteEntry> entries;
  for (const SettingInfo& setting : setting_table()) {
    if (setting.name == "model") continue;
    const std::string name(setting.name);
    const QString shown = QString::fromStdString(name);
    entries.push_back(
        {PaletteEntry::Kind::setting, shown, shown, {}, {}, [show_setting, name] { show_setting(name); }});
  }
  for (const QString& path : recent_models)
    entries.push_back({PaletteEntry::Kind::model, path, model_name(path), {}, {}, [choose_model, path] {
                         choose_model(path);
                       }});
  return entries;
}

}  // namespace pitwall::ui
