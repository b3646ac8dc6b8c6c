// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/model_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/library/model_profile.h"
#include "engine/library/models_folder.h"
#include "engine/model/model.h"
#include "engine/plan/amounts.h"
#include "engine/plan/header_outline.h"
#include "engine/plan/weight_format.h"

namespace pitwall {

namespace fs = std::filesystem;

namespace {

// Beyond what any model has; products of them stay below kMostAmount.
constexpr int kMostHeads = 1 << 16, kMostWidth = 1 << 16, kMostHidden = 1 << 20, kMostVocabulary = 1 << 26;
constexpr std::size_t kMostLayers = 20'000;

Error senseless(const std::string& what, std::string param) {
  return {Error::Kind::invalid_input, what, "No model has that", "Check the model's config.json",
          std::move(param)};
}

bool within(std::int64_t value, std::int64_t least, std::int64_t most) {
  return value >= least && value <= most;
}

Result<void> check_layer(const LayerState& layer, std::size_t index) {
  const auto wrong = [&](const char* what, std::int64_t value, const char* param) {
    return senseless(fmt::format("Layer {} has {} {}", index, format_count(value), what), param);
  };
  switch (layer.kind) {
    case LayerState::Kind::none:
      return {};
    case LayerState::Kind::recurrent:
      if (!within(layer.recurrent_numbers + layer.convolution_numbers, 1, std::int64_t{1} << 40))
        return wrong("numbers of state", layer.recurrent_numbers, "mamba_d_state");
      return {};
    case LayerState::Kind::latent:
      if (!within(layer.latent_dim, 1, kMostWidth))
        return wrong("latent numbers", layer.latent_dim, "kv_lora_rank");
      if (!within(layer.latent_rope_dim, 0, kMostWidth))
        return wrong("rotated numbers", layer.latent_rope_dim, "qk_rope_head_dim");
      if (!within(layer.index_dim, 0, kMostWidth))
        return wrong("index numbers", layer.index_dim, "index_head_dim");
      return {};
    default:
      break;
  }
  if (!within(layer.kv_heads, 1, kMostHeads)) return wrong("KV heads", layer.kv_heads, "num_key_value_heads");
  if (!within(layer.key_dim, 1, kMostWidth)) return wrong("numbers in a head", layer.key_dim, "head_dim");
  if (!within(layer.value_dim, 1, kMostWidth))
    return wrong("numbers in a head", layer.value_dim, "v_head_dim");
  if (layer.kind != LayerState::Kind::full && layer.window < 1)
    return wrong("tokens in its window", layer.window, "sliding_window");
  return {};
}

bool is_bare(const fs::path& path) {
  if (path.extension() == ".json") return true;
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return false;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".safetensors" || name.ends_with(".safetensors.index.json")) return false;
  }
  return true;
}

/// Readers speak of config.json, whatever the file is called.
Error named_by(const std::string& file, Error error) {
  constexpr std::string_view kName = "config.json";
  for (std::string* text : {&error.what, &error.action}) {
    if (const std::size_t at = text->find(kName); at != std::string::npos)
      text->replace(at, kName.size(), replace_invalid_utf8(file));
  }
  return error;
}

Result<ModelOutline> of_file(const fs::path& path) {
  std::error_code ignored;
  if (is_bare(path)) {
    if (fs::is_directory(path, ignored)) return outline_of_config_folder(path);
    const auto text = read_config_text(path);
    if (!text) return text.error();
    auto outline = outline_of_config(*text, path.stem().string());
    if (!outline) return named_by(path.filename().string(), outline.error());
    return outline;
  }
  const auto model = Model::open(path);
  if (model) {
    ModelOutline outline = outline_of(**model);
    if (fs::is_directory(path, ignored)) {  // what its configuration says beside the shapes
      const auto described = outline_of_config_folder(path);
      if (described) {
        outline.kv_format = described->kv_format;
        outline.weight_group = described->weight_group;
        outline.expert_group = described->expert_group;
      }
    }
    if (auto sound = check(outline); !sound) return std::move(sound).error();
    return outline;
  }
  return outline_of_headers(path, model.error());
}

}  // namespace

bool ModelOutline::has_one_size() const {
  return std::all_of(layers.begin(), layers.end(),
                     [](const LayerState& layer) { return layer.kind == LayerState::Kind::recurrent; });
}

std::int64_t ModelOutline::usual_length() const {
  constexpr std::int64_t kAnyLength = 2048;  // what vLLM assumes
  return context_length == 0 && has_one_size() ? kAnyLength : context_length;
}

std::int64_t ModelOutline::parameters() const {
  std::int64_t total = capped_sum(capped_sum(embedding_parameters, output_parameters), other_parameters);
  for (std::size_t i = 0; i < layer_parameters.size(); ++i) {
    if (!layers[i].draft) total = capped_sum(total, layer_parameters[i].total());
  }
  return total;
}

Bytes ModelOutline::weight_bytes() const {
  Bytes total = capped_sum(capped_sum(embedding_bytes, output_bytes), other_bytes);
  for (std::size_t i = 0; i < layer_bytes.size(); ++i) {
    if (!layers[i].draft) total = capped_sum(total, layer_bytes[i].total());
  }
  return total;
}

Result<void> check(const ModelOutline& outline) {
  if (!within(outline.hidden, 1, kMostHidden))
    return senseless(fmt::format("The hidden width is {}", format_count(outline.hidden)), "hidden_size");
  if (!within(outline.vocabulary, 1, kMostVocabulary))
    return senseless(fmt::format("The vocabulary has {} tokens", format_count(outline.vocabulary)),
                     "vocab_size");
  if (outline.layers.empty() || outline.layers.size() > kMostLayers)
    return senseless(fmt::format("The model has {} layers", outline.layers.size()), "num_hidden_layers");
  if (!within(outline.heads, 0, kMostHeads))
    return senseless(fmt::format("The model has {} heads", format_count(outline.heads)),
                     "num_attention_heads");
  const bool attends = std::any_of(outline.layers.begin(), outline.layers.end(), [](const LayerState& layer) {
    return layer.kind != LayerState::Kind::recurrent;
  });
  if (attends && outline.heads < 1) return senseless("The model has 0 heads", "num_attention_heads");
  for (std::size_t i = 0; i < outline.layers.size(); ++i) {
    const LayerState& layer = outline.layers[i];
    if (auto sound = check_layer(layer, i); !sound) return sound;
    if (layer.kv_heads > 0 && outline.heads > 0 && outline.heads % layer.kv_heads != 0) {
      return senseless(fmt::format("Layer {} has {} KV heads for {} heads, which do not share them evenly", i,
                                   layer.kv_heads, outline.heads),
                       "num_key_value_heads");
    }
  }
  if (outline.parameters() >= std::int64_t{1} << 50)
    return senseless(fmt::format("The model has {} parameters", format_count(outline.parameters())),
                     "config.json");
  return {};
}

Result<ModelOutline> with_weight_format(const ModelOutline& outline, std::string_view name) {
  auto format = find_weight_format(name);
  if (!format) return std::move(format).error();
  return with_weight_format(outline, *format);
}

ModelOutline with_weight_format(const ModelOutline& outline, const WeightFormat& format) {
  using Reach = WeightFormat::Reach;
  const auto plain = [&](std::int64_t parameters) {  // norms, routers, towers
    return format.bits > 16 ? format.of(parameters) : 2 * parameters;
  };
  const auto linear = [&](std::int64_t parameters) {
    return format.reach == Reach::experts ? plain(parameters) : format.of(parameters);
  };
  const auto attention = [&](std::int64_t parameters) {
    return format.reach == Reach::mlps ? plain(parameters) : linear(parameters);
  };
  const auto vocabulary = [&](std::int64_t parameters) {
    return format.reach == Reach::all ? format.of(parameters) : plain(parameters);
  };
  ModelOutline result = outline;
  result.weight_format = format.title;
  result.weight_bits = format.bits;
  result.weight_group = format.fills_up ? 0 : format.group;
  result.expert_group = format.fills_up ? format.group : 0;
  result.packed = {};
  result.layer_bytes.clear();
  for (const LayerWeightCounts& counts : outline.layer_parameters) {
    result.layer_bytes.push_back({attention(counts.attention), attention(counts.kv), linear(counts.mlp),
                                  format.of(counts.experts), plain(counts.replicated)});
  }
  result.embedding_bytes = vocabulary(outline.embedding_parameters);
  result.output_bytes = vocabulary(outline.output_parameters);
  result.other_bytes = plain(outline.other_parameters);
  result.from_headers = false;
  return result;
}

Result<ModelOutline> read_outline(std::string_view model) {
  const std::string name(model);
  std::error_code ignored;
  if (!name.empty() && fs::exists(name, ignored)) return of_file(name);
  const ModelProfile* profile = find_model_profile(model);
  if (profile != nullptr && !profile->config.empty())
    return outline_of_config(profile->config, profile->name);
  const auto path = resolve_model(name);
  if (path) return of_file(*path);
  const ModelProfile* same = find_model_profile(local_model_name(name));
  if (same != nullptr && !same->config.empty()) return outline_of_config(same->config, same->name);
  Error error = path.error();
  if (profile == nullptr)
    error.action =
        "Check the path, or take one of the profiles: " +
        profile_names(model_profiles(), [](const ModelProfile& one) { return !one.config.empty(); });
  return error;
}

}  // namespace pitwall
