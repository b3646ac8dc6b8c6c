// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/library/models_folder.h"

#include <algorithm>

#include "engine/base/file.h"
#include "engine/base/text_escape.h"
#include "engine/library/model_profile.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

Bytes file_bytes(const fs::path& file) {
  std::error_code failed;
  const auto size = fs::file_size(file, failed);
  return failed ? 0 : static_cast<Bytes>(size);
}

Bytes safetensors_bytes(const fs::path& folder) {
  std::error_code failed;
  Bytes bytes = 0;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().extension() == ".safetensors") bytes += file_bytes(it->path());
  }
  return bytes;
}

void add_entry(const fs::path& path, std::vector<ModelEntry>& out) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    if (!fs::exists(path / "config.json", failed)) return;
    if (const Bytes bytes = safetensors_bytes(path); bytes > 0)
      out.push_back({path.filename().string(), path, bytes});
  } else if (path.extension() == ".gguf") {
    out.push_back({path.stem().string(), path, file_bytes(path)});
  }
}

}  // namespace

std::vector<ModelEntry> scan_models(const std::vector<fs::path>& folders) {
  std::vector<ModelEntry> out;
  for (const fs::path& folder : folders) {
    std::error_code failed;
    for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
      add_entry(it->path(), out);
    }
  }
  std::sort(out.begin(), out.end(), [](const ModelEntry& a, const ModelEntry& b) {
    return a.name != b.name ? a.name < b.name : a.path < b.path;
  });
  return out;
}

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
    if (entry.name == path_or_name) return entry.path;
  }

  Error error{Error::Kind::not_found, "There is no model " + quote_for_message(path_or_name, 400),
              "It is neither a file or folder, nor a model in " + models.string(), "Check the path", "model"};
  if (fetchable) error.action = "Fetch it first: pitwallctl fetch " + profile->name;
  return error;
}

}  // namespace pitwall
