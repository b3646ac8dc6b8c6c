// SPDX-License-Identifier: GPL-3.0-or-later
// config.json as an outline: through ModelSpec where this engine runs the architecture, so that plan and
// engine cannot disagree; else by the families of config_families.cpp.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/model/hf_config.h"
#include "engine/model/json_text.h"
#include "engine/plan/amounts.h"
#include "engine/plan/config_family.h"
#include "engine/plan/weight_format.h"

namespace pitwall {

using nlohmann::json;

namespace {

/// Keys that change what is cached. Of the first kind some readers know what to do; of the second none.
constexpr const char* kCacheKeys[] = {"kv_lora_rank",
                                      "attention_chunk_size",
                                      "full_attention_interval",
                                      "linear_num_value_heads",
                                      "num_kv_shared_layers",
                                      "cross_attention_layers",
                                      "hybrid_override_pattern",
                                      "mamba_d_state",
                                      "index_head_dim",
                                      "attn_layer_period",
                                      "global_head_dim",
                                      "num_global_key_value_heads",
                                      "layers_block_type",
                                      "attn_layer_indices",
                                      "v_head_dim"};
constexpr const char* kUnknownCacheKeys[] = {"use_cla",
                                             "cla_share_factor",
                                             "attention_types",
                                             "block_configs",
                                             "kv_sharing_map",
                                             "attn_type_list",
                                             "mixer_types",
                                             "linear_attn_config",
                                             "hybrid_layer_pattern",
                                             "swa_num_key_value_heads",
                                             "rwkv_version",
                                             "attention_hidden_size",
                                             "compress_ratios",
                                             "kv_compression",
                                             "sparse_attention_config",
                                             "indexer_head_dim"};

bool says_something(const json& config, const char* key) {
  const auto found = config.find(key);
  if (found == config.end() || found->is_null()) return false;
  if (found->is_boolean()) return found->get<bool>();
  if (found->is_number()) return found->get<double>() != 0;
  return !found->empty();
}

Error cannot_estimate(std::string what, std::string param) {
  return {Error::Kind::unsupported, "Cannot estimate: " + std::move(what),
          "What it keeps for each token is not known here, so any number would be a guess",
          "Plan with a model of a known architecture that has the same layers, or load this one in an engine "
          "that runs "
          "it and read its log",
          std::move(param)};
}

Error unknown_architecture(std::string_view name) {
  return cannot_estimate(
      fmt::format("architecture `{}` is unknown", replace_invalid_utf8(name.substr(0, 80))), "architectures");
}

Error unknown_key(const char* key, std::string_view architecture) {
  return cannot_estimate(
      fmt::format("the key `{}` changes what is cached, and architecture `{}` is not known to have it", key,
                  architecture),
      key);
}

std::string text_under(const json& config, const char* key) {
  const auto found = config.find(key);
  return found != config.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The name under `architectures`, or that of the file's model_type.
Result<std::string> architecture_of(const json& config) {
  const auto names = config.find("architectures");
  if (names != config.end() && !names->is_null()) {
    if (names->is_array() && !names->empty() && names->front().is_string())
      return names->front().get<std::string>();
    FirstError first;
    HfKeys(config, first).wrong("architectures", "a list of names");
    return *first.error();
  }
  const std::string type = text_under(config, "model_type");
  if (type.empty()) {
    FirstError first;
    HfKeys(config, first).missing("architectures");
    return *first.error();
  }
  if (const ConfigFamily* family = find_config_family_of_type(type)) return std::string(family->architecture);
  return unknown_architecture(type);
}

/// The vision tower beside a language model, from the widths that its configuration states.
void add_tower(const json& config, ModelOutline& out) {
  const auto vision = config.find("vision_config");
  if (vision == config.end() || !vision->is_object()) return;
  const auto number = [&](std::initializer_list<const char*> keys) -> std::int64_t {
    for (const char* key : keys) {
      const auto found = vision->find(key);
      if (found != vision->end() && found->is_number_integer()) {
        const auto value = found->get<std::int64_t>();
        return value > 0 && value < 1 << 20 ? value : 0;
      }
    }
    return 0;
  };
  const std::int64_t width = number({"hidden_size", "vt_hidden_size", "embed_dim", "width"}),
                     layers = number({"num_hidden_layers", "vt_num_hidden_layers", "depth", "layers"});
  const std::int64_t inner = number({"intermediate_size", "vt_intermediate_size"});
  if (width == 0 || layers == 0) {
    out.remarks.emplace_back("The vision tower's weights are not counted: its configuration states no width");
    return;
  }
  const std::int64_t parameters = capped_product(
      layers,
      capped_sum(capped_product(4, width, width), capped_product(2, width, inner > 0 ? inner : 4 * width)));
  out.other_parameters = capped_sum(out.other_parameters, parameters);
  out.remarks.push_back(fmt::format("The vision tower is estimated at {} parameters from its width and depth",
                                    format_count(parameters)));
}

Result<ModelOutline> of_family(const json& config, const std::string& architecture) {
  const ConfigFamily* family = find_config_family(architecture);
  if (family == nullptr) return unknown_architecture(architecture);
  const json* text = nested_config(config);
  if (family->read == nullptr) {  // a wrapper
    if (text == nullptr) return unknown_key("text_config", architecture);
    auto inner = architecture_of(*text);
    if (!inner) return std::move(inner).error();
    family = find_config_family(*inner);
    if (family == nullptr || family->read == nullptr)
      return unknown_architecture(architecture + " of " + *inner);
  }
  if (text == nullptr) text = &config;
  for (const json* object : {&config, text}) {
    for (const char* key : kUnknownCacheKeys) {
      if (says_something(*object, key)) return unknown_key(key, architecture);
    }
  }
  FirstError first;
  const HfKeys keys(*text, first), outer(config, first);
  ModelOutline out;
  out.architecture = architecture;
  out.context_length = context_of(keys, outer);
  family->read(ConfigReader{keys, outer, *family, out});
  if (first.error()) return *first.error();
  out.other_parameters = out.hidden;
  if (!out.layers.empty() && out.layers.back().draft)
    out.remarks.emplace_back("Layers that predict further tokens are counted only where they are asked for");
  return out;
}

/// Through the spec that the engine runs. Nothing where the file has keys that the spec does not know.
Result<std::optional<ModelOutline>> of_spec(const json& config) {
  const auto found = find_hf_config(config);
  if (!found.ok()) return std::optional<ModelOutline>{};
  const json& text = *found->text;
  const auto kv_heads = text.find("num_key_value_heads");
  if (kv_heads != text.end() && kv_heads->is_array()) return std::optional<ModelOutline>{};
  for (const json* object : {&config, &text}) {
    for (const char* key : kCacheKeys) {
      if (says_something(*object, key)) return unknown_key(key, found->family->architecture);
    }
    for (const char* key : kUnknownCacheKeys) {
      if (says_something(*object, key)) return unknown_key(key, found->family->architecture);
    }
  }
  auto spec = read_hf_spec(config);
  if (!spec.ok()) {
    // Rotary scalings and activations that the engine lacks change no size.
    if (spec.error().kind == Error::Kind::unsupported && spec.error().param != "layer_types")
      return std::optional<ModelOutline>{};
    Error error = spec.error();
    if (error.kind == Error::Kind::unsupported) error.what = "Cannot estimate: " + error.what;
    return error;
  }
  return std::optional<ModelOutline>(outline_of(*spec));
}

}  // namespace

Result<ModelOutline> outline_of_config(std::string_view config_json, std::string name) {
  auto parsed = parse_json_object(config_json, "config.json");
  if (!parsed) return std::move(parsed).error();
  const json& config = *parsed;
  auto architecture = architecture_of(config);
  if (!architecture) return std::move(architecture).error();
  json named = config;
  if (!named.contains("architectures") || named["architectures"].is_null())
    named["architectures"] = json::array({*architecture});
  auto spec = of_spec(named);
  if (!spec) return std::move(spec).error();
  Result<ModelOutline> outline =
      *spec ? Result<ModelOutline>(**std::move(spec)) : of_family(named, *architecture);
  if (!outline) return outline;
  outline->name = std::move(name);
  add_tower(config, *outline);
  if (auto sound = check(*outline); !sound) return std::move(sound).error();

  json stated = config;  // quantization and dtype may stand beside the language model or in it
  if (const json* text = nested_config(config)) {
    for (const char* key : {"quantization_config", "torch_dtype", "dtype"}) {
      if (!stated.contains(key) && text->contains(key)) stated[key] = (*text)[key];
    }
  }
  auto format = weight_format_of(stated, outline->kv_format);
  if (!format) return std::move(format).error();
  return with_weight_format(*outline, *format);
}

}  // namespace pitwall
