// SPDX-License-Identifier: GPL-3.0-or-later
// What the serve page offers to the command palette: the engine's settings by name, and the recent models.
#pragma once
#include <QStringList>
#include <string>
#include <vector>

#include "ui/shell/palette_entry.h"

namespace pitwall::ui {

std::vector<PaletteEntry> serve_palette_entries(const QStringList& recent_models,
                                                std::function<void(const std::string& name)> show_setting,
                                                std::function<void(const QString& path)> choose_model);

}  // namespace pitwall::ui
