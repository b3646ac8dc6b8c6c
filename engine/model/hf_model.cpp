// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/model/first_error.h"
#include "engine/model/header_digest.h"
#include "engine/model/hf_chat_template.h"
#include "engine/model/hf_config.h"
#include "engine/model/hf_quantization.h"
#include "engine/model/hf_vocabulary.h"
#include "engine/model/json_text.h"
#include "engine/model/kv_scales.h"
#include "engine/model/safetensors_reader.h"
#include "engine/model/weight_binding.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{32} << 20;

constexpr TensorNames kNames = {
    .embedding = "model.embed_tokens.weight",
    .output_norm = "model.norm.weight",
    .output = "lm_head.weight",
    .layer_prefix = "model.layers.",
    .attention_norm = "input_layernorm.weight",
    .q = "self_attn.q_proj.weight",
    .k = "self_attn.k_proj.weight",
    .v = "self_attn.v_proj.weight",
    .o = "self_attn.o_proj.weight",
    .q_bias = "self_attn.q_proj.bias",
    .k_bias = "self_attn.k_proj.bias",
    .v_bias = "self_attn.v_proj.bias",
    .mlp_norm = "post_attention_layernorm.weight",
    .gate = "mlp.gate_proj.weight",
    .up = "mlp.up_proj.weight",
    .down = "mlp.down_proj.weight",
};

class HfModel final : public Model {
 public:
  Result<void> read(const fs::path& folder) {
    path_ = folder;
    format_ = "safetensors";
    const fs::path config_file = folder / "config.json";
    const auto config_text = read_file(config_file, kMaxConfigBytes);
    if (!config_text.ok()) return config_text.error();
    const auto config = parse_json_object(*config_text, config_file);
    if (!config.ok()) return config.error();
    if (auto described = describe(*config); !described.ok()) return in_file(config_file, described.error());

    auto set = open_safetensors_folder(folder);
    if (!set.ok()) return set.error();
    files_ = std::move(set->files);
    auto assembler = make_weight_assembler(*config, folder);
    if (!assembler.ok()) return in_file(config_file, assembler.error());
    // The values that quantised checkpoints are compared with went through bfloat16 modules, whatever dtype
    // their configuration gives.
    spec_.says_bfloat16 = spec_.says_bfloat16 || *assembler != nullptr;
    WeightBinder binder(std::move(set->tensors), assembler->get());
    weights_ = bind_weights(spec_, kNames, binder);
    binder.ignore("rotary_emb.inv_freq");  // older checkpoints store what follows from rope_theta
    if (spec_.tied_embeddings) binder.ignore(kNames.output);
    if (auto read = read_kv_scales(spec_, kNames, binder, weights_); !read.ok())
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
    chat_template_ = first.take(read_hf_chat_template(path_));
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
