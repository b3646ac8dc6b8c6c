// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/gguf_model.h"
#include "engine/model/hf_model.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

Result<std::shared_ptr<const Model>> open_folder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "config.json", ignored)) return open_hf_folder(folder);
  return Error{Error::Kind::not_found, fmt::format("The folder {} has no config.json", folder.string()),
               "It is not a model folder, or the model was not fetched whole",
               "Give a folder with config.json and safetensors, or a .gguf file", "model"};
}

}  // namespace

TensorView slice_rows(const TensorView& view, std::int64_t first, std::int64_t rows) {
  if (!view.valid()) return {};
  TensorView slice = view;
  slice.rows = rows;
  slice.bytes = view.bytes / view.rows * rows;
  if (view.quantized) {
    slice.first_row += first;
  } else {
    slice.data += view.bytes / view.rows * first;
  }
  return slice;
}

Result<std::shared_ptr<const Model>> Model::open(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status) && path.string().find("\uFFFD") != std::string::npos) {
    return Error{Error::Kind::not_found, fmt::format("The model {} cannot be opened", path.string()),
                 "Its name is not UTF-8: the sign \uFFFD stands for what cannot be read",
                 "Rename it, then open it", "model"};
  }
  if (!fs::exists(status)) {
    return Error{Error::Kind::not_found, fmt::format("There is no model at {}", path.string()),
                 error && status.type() == fs::file_type::none ? error.message() : std::string(),
                 "Give a .gguf file, or a folder with config.json and safetensors", "model"};
  }
  if (fs::is_directory(status)) return open_folder(path);
  if (path.filename() == "config.json" || path.extension() == ".safetensors") {
    return Error{Error::Kind::invalid_input, fmt::format("{} is one file of a model folder", path.string()),
                 "", "Give the folder that holds it", "model"};
  }
  return open_gguf(path);
}

const std::string& Model::chat_template(bool with_tools) const {
  static const std::string kNone;
  const auto named = [this](std::string_view name) {
    const auto found = std::find_if(chat_templates_.begin(), chat_templates_.end(),
                                    [&](const NamedTemplate& entry) { return entry.name == name; });
    return found == chat_templates_.end() ? nullptr : &found->source;
  };
  const std::string* source = with_tools ? named("tool_use") : nullptr;
  if (source == nullptr) source = named("default");
  return source == nullptr ? kNone : *source;
}

std::string Model::quantization() const {
  const auto most =
      std::max_element(type_counts_.begin(), type_counts_.end(),
                       [](const TypeCount& a, const TypeCount& b) { return a.parameters < b.parameters; });
  return most == type_counts_.end() ? std::string() : std::string(tensor_type_info(most->type).name);
}

std::vector<Model::TypeCount> Model::type_counts() const {
  return type_counts_;
}

}  // namespace pitwall
