// SPDX-License-Identifier: GPL-3.0-or-later
// The user's models: .gguf files, sets of them, and safetensors folders below data_folder()/models and added
// folders, the layout of the hub's cache included.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

struct ModelEntry {
  std::string name;            ///< file or folder name without extension; of a hub snapshot the repository's
  std::filesystem::path path;  ///< as found below the scanned folder; of a set the first file
  Bytes bytes = 0;             ///< of the files that links lead to; of a set the sum
  std::filesystem::path outside;  ///< where a link leads out of the scanned folders; empty when none does
  std::string problem;            ///< one sentence that names a file that is missing; empty when sound
};

/// Sorted by name. Looks at names, sizes and links only; opens no file and writes nothing. Folders that
/// cannot be read are skipped; sub-folders are looked at 6 levels deep, 5000 in all. A link to a folder
/// elsewhere may be a model, but its sub-folders are not searched.
std::vector<ModelEntry> scan_models(const std::vector<std::filesystem::path>& folders);

std::filesystem::path default_models_folder();  ///< data_folder()/models

/// What `--model` may say: a path, or a fetched model's name ("smollm2"). The error names both places looked
/// at.
Result<std::filesystem::path> resolve_model(const std::string& path_or_name);

}  // namespace pitwall
