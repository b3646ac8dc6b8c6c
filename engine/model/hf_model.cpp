// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_model.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/model/first_error.h"
#include "engine/model/header_digest.h"
#include "engine/model/hf_chat_template.h"
#include "engine/model/hf_config.h"
#include "engine/model/hf_quantization.h"
#include "engine/model/hf_vocabulary.h"
#include "engine/model/kv_scales.h"
#include "engine/model/safetensors_reader.h"
#include "engine/model/weight_binding.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{32} << 20;

/// Tensors of a checkpoint that also sees or hears: the language model's under the names of a plain one, the
/// others left out.
std::vector<TensorView> language_model_of(std::vector<TensorView> tensors) {
  constexpr std::string_view kWithin = "model.language_model.", kPrefix = "language_model.";
  std::vector<TensorView> kept;
  for (TensorView& tensor : tensors) {
    if (tensor.name.starts_with(kWithin)) {
      tensor.name = "model." + tensor.name.substr(kWithin.size());
    } else if (tensor.name.starts_with(kPrefix)) {
      tensor.name = tensor.name.substr(kPrefix.size());
    } else if (tensor.name != "lm_head.weight") {
      continue;
    }
    kept.push_back(std::move(tensor));
  }
  return kept;
}

/// A checkpoint that ties its embeddings may store the output all the same. Where it is another matrix, it
/// counts, as in transformers 5. A few rows tell: opening reads no weights.
bool has_output_of_its_own(const WeightBinder& binder, const TensorNames& names) {
  const TensorView* output = binder.find(names.output);
  const TensorView* embedding = binder.find(names.embedding);
  if (output == nullptr || embedding == nullptr) return false;
  if (output->type != embedding->type || output->rows != embedding->rows ||
      output->columns != embedding->columns || output->rows == 0) {
    return true;
  }
  constexpr std::int64_t kRows = 16;
  const std::int64_t row_bytes = output->bytes / output->rows;
  for (std::int64_t i = 0; i < kRows; ++i) {
    const std::int64_t at = (output->rows - 1) * i / (kRows - 1) * row_bytes;
    if (std::memcmp(output->data + at, embedding->data + at, static_cast<std::size_t>(row_bytes)) != 0)
      return true;
  }
  return false;
}

class HfModel final : public Model {
 public:
  Result<void> read(const fs::path& folder) {
    path_ = folder;
    format_ = "safetensors";
    const fs::path config_file = folder / "config.json";
    const auto config_text = read_file(config_file, kMaxConfigBytes);
    if (!config_text.ok()) return config_text.error();
    const auto config = parse_hf_config(*config_text, folder);
    if (!config.ok()) return config.error();
    if (auto ok = describe(*config); !ok.ok()) return in_file(config_file, ok.error());

    auto set = open_safetensors_folder(folder);
    if (!set.ok()) return set.error();
    files_ = std::move(set->files);
    auto assembler = make_weight_assembler(*config, folder);
    if (!assembler.ok()) return in_file(config_file, assembler.error());
    // The values that quantised checkpoints are compared with went through bfloat16 modules, whatever dtype
    // their configuration gives.
    spec_.bfloat16_reference = spec_.bfloat16_reference || *assembler != nullptr;
    const auto described = find_hf_config(*config);
    if (!described.ok()) return in_file(config_file, described.error());
    const TensorNames& names = described->family->names;
    WeightBinder binder(
        described->multimodal ? language_model_of(std::move(set->tensors)) : std::move(set->tensors),
        assembler->get());
    if (spec_.tied_embeddings && has_output_of_its_own(binder, names)) spec_.tied_embeddings = false;
    weights_ = bind_weights(spec_, names, binder);
    binder.ignore("rotary_emb.inv_freq");  // older checkpoints store what follows from rope_theta
    if (spec_.tied_embeddings) binder.ignore(names.output);
    if (auto read = read_kv_scales(spec_, names, binder, weights_); !read.ok())
      return in_file(folder, read.error());
    unused_scales_ = ignore_unknown_scales(binder);
    auto totals = binder.finish();
    if (!totals.ok()) return in_file(folder, totals.error());
    weight_bytes_ = totals->bytes;
    parameters_ = totals->parameters;
    type_counts_ = std::move(totals->types);

    std::vector<std::span<const std::byte>> headers{std::as_bytes(std::span(*config_text))};
    for (const SafetensorsFile& file : files_) headers.push_back(file.header());
    header_sha256_ = sha256_hex(headers);
    return {};
  }

 private:
  static Error in_file(const fs::path& file, Error error) {
    error.what = fmt::format("{}: {}", file.string(), error.what);
    return error;
  }
  Result<void> describe(const nlohmann::json& config) {
    FirstError first;
    spec_ = first.take(read_hf_spec(config));
    if (first.error()) return *first.error();
    spec_.name = fs::absolute(path_).lexically_normal().filename().string();
    vocabulary_ = first.take(read_hf_vocabulary(path_, config, spec_.vocabulary));
    chat_templates_ = first.take(read_hf_chat_templates(path_));
    if (first.error()) return *first.error();
    return {};
  }
  std::vector<SafetensorsFile> files_;  // the weights' views point into their maps
};

}  // namespace

Result<std::shared_ptr<const Model>> open_hf_folder(const fs::path& folder) {
  auto model = std::make_shared<HfModel>();
  if (auto read = model->read(folder); !read.ok()) return read.error();
  return std::shared_ptr<const Model>(std::move(model));
}

}  // namespace pitwall
