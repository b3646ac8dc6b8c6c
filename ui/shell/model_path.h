// SPDX-License-Identifier: GPL-3.0-or-later
// What a path is to the pages, by its name and its neighbours: no file is opened.
#pragma once
#include <QString>

namespace pitwall::ui {

/// A .gguf file, a config.json with safetensors beside it, or the folder of both.
bool has_weights(const QString& path);
/// A config.json, or a folder with one.
bool has_config(const QString& path);

}  // namespace pitwall::ui
