// SPDX-License-Identifier: GPL-3.0-or-later
// What a path is to the pages, by its name and its neighbours: no file is opened.
#pragma once
#include <QString>

namespace pitwall::ui {

/// Its words on one line in the order that they are read, whatever a file's name holds.
QString one_line(const QString& text);
/// "SmolLM2-135M-Instruct.Q4_K_M", on one line.
QString model_name(const QString& path);
/// "https://…": a model there is not on this machine.
bool is_web_address(const QString& path);
/// A .gguf file, a config.json with safetensors beside it, or the folder of both.
bool has_weights(const QString& path);
/// A config.json, or a folder with one.
bool has_config(const QString& path);

}  // namespace pitwall::ui
