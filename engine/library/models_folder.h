// SPDX-License-Identifier: GPL-3.0-or-later
// The user's models: .gguf files and safetensors folders found under data_folder()/models and added folders.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

struct ModelEntry {
  std::string name;  ///< file or folder name without extension
  std::filesystem::path path;
  Bytes bytes = 0;
};

/// Sorted by name. Unreadable folders are skipped. Looks at names and sizes only; opens nothing.
std::vector<ModelEntry> scan_models(const std::vector<std::filesystem::path>& folders);

std::filesystem::path default_models_folder();  ///< data_folder()/models

/// What `--model` may say: a path, or a fetched model's name ("smollm2"). The error names both places looked
/// at.
Result<std::filesystem::path> resolve_model(const std::string& path_or_name);

}  // namespace pitwall
