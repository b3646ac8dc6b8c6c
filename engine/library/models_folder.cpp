// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/models_folder.h"

#include "engine/base/file.h"
#include "engine/base/text_escape.h"
#include "engine/library/model_profile.h"

namespace pitwall {

namespace fs = std::filesystem;

fs::path default_models_folder() {
  return data_folder() / "models";
}

Result<fs::path> resolve_model(const std::string& path_or_name) {
  if (path_or_name.empty()) {
    return Error{Error::Kind::invalid_input, "No model is named", "",
                 "Give a .gguf file, a folder or a model's name", "model"};
  }
  std::error_code failed;
  if (fs::exists(path_or_name, failed)) return fs::path(path_or_name);

  const fs::path models = default_models_folder();
  const ModelProfile* profile = find_model_profile(path_or_name);
  const bool fetchable = profile != nullptr && profile->fetchable();
  if (fetchable && fs::exists(models / profile->file, failed)) return models / profile->file;
  for (const ModelEntry& entry : scan_models({models})) {
    if (entry.name == path_or_name || entry.path.filename() == path_or_name) return entry.path;
  }

  Error error{Error::Kind::not_found, "There is no model " + quote_for_message(path_or_name, 400),
              "It is neither a file or folder, nor a model in " + models.string(), "Check the path", "model"};
  if (fetchable) error.action = "Fetch it first: pitwallctl fetch " + profile->name;
  if (profile != nullptr && !fetchable)
    error.action = "It is a description to plan with, without weights: give a file or folder";
  return error;
}

}  // namespace pitwall
