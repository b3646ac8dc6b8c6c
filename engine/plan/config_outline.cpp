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

bool says_something(const json& value) {
  if (value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  return !value.empty();
}

/// Keys that change what is cached and that readers of other architectures than those of ModelSpec know.
constexpr std::string_view kCacheKeys[] = {"kv_lora_rank",
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
                                           "v_head_dim",
                                           "use_cla",
                                           "full_attn_idxs",
                                           "attn_type_list",
                                           "block_configs",
                                           "n_head_kv",
                                           "num_kv_heads",
                                           "multi_query",
                                           "multi_query_attention",
                                           "zero_expert_num",
                                           "linear_num_heads",
                                           "num_attention_heads_per_layer"};
/// Known by nobody here, or by one family alone (own_key), though their names say nothing that kCacheMarks
/// catches.
constexpr std::string_view kUnknownCacheKeys[] = {
    "linear_attn_config",      "mixer_types",     "rwkv_version", "compress_ratios", "indexer_head_dim",
    "sparse_attention_config", "per_layer_config"};
/// What names of keys have in common that say which layers cache what, and for how many heads.
constexpr std::string_view kCacheMarks[] = {
    "kv_head",        "head_kv",         "heads_kv",   "key_value_head", "kv_group",
    "query_group",    "multi_query",     "attn_idx",   "attn_layer",     "attn_type",
    "attention_type", "attention_layer", "layer_type", "layers_type",    "block_type",
    "layer_pattern",  "hybrid",          "cla_",       "kv_shar",        "share_kv",
    "shared_kv",      "kv_compress",     "kv_latent",  "kv_lora",        "window_pattern"};
/// … of which readers know these, and these change nothing: what they say stands under another key too.
constexpr std::string_view kKnownMarked[] = {"num_key_value_heads",
                                             "num_attention_groups",
                                             "multi_query_group_num",
                                             "layer_types",
                                             "attn_layer_offset",
                                             "sliding_window_pattern",
                                             "_sliding_window_pattern",
                                             "cla_share_factor",
                                             "hybrid_layer_ids",
                                             "mlp_layer_types",
                                             "mtp_layers_block_type",
                                             "use_hybrid_norm",
                                             "prefix_dense_sliding_window_pattern"};

template <class List>
bool holds(const List& list, std::string_view key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

/// The first key of an object that changes what is cached and that nobody here understands.
std::string unknown_cache_key(const json& config, std::string_view known = {}) {
  for (const auto& [key, value] : config.items()) {
    if (holds(kUnknownCacheKeys, key)) {
      if (key != known && says_something(value)) return key;
      continue;
    }
    const bool marked =
        std::any_of(std::begin(kCacheMarks), std::end(kCacheMarks),
                    [&](std::string_view mark) { return key.find(mark) != std::string::npos; });
    if (marked && key != known && !holds(kCacheKeys, key) && !holds(kKnownMarked, key) &&
        says_something(value))
      return key;
  }
  return "";
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

Error unknown_key(std::string_view key, std::string_view architecture) {
  return cannot_estimate(
      fmt::format("the key `{}` changes what is cached, and architecture `{}` is not known to have it", key,
                  architecture),
      std::string(key));
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

/// Some class of its own over a language model that is known here says so.
Error unknown_class(const std::string& architecture, const json* text) {
  Error error = unknown_architecture(architecture);
  const auto inner = text != nullptr ? architecture_of(*text) : Result<std::string>(error);
  if (!inner) return error;
  const ConfigFamily* family = find_config_family(*inner);
  if (find_hf_family(*inner) == nullptr && (family == nullptr || family->read == nullptr)) return error;
  error.what += fmt::format(", though its language model, `{}`, is known", *inner);
  error.action =
      "Plan with that part of its config.json as a file of its own: weights of what sees or hears come on "
      "top";
  return error;
}

/// Of a decoder under another head ("LlamaForSequenceClassification", "Qwen3Model"), as it is known here;
/// empty where it is none.
std::string decoder_under_head(const std::string& architecture) {
  const auto known = [](const std::string& name) {
    return find_hf_family(name) != nullptr || find_config_family(name) != nullptr;
  };
  if (known(architecture) || !why_not_estimated(architecture).empty()) return "";
  for (const std::string_view head : {"ForSequenceClassification", "ForTokenClassification", "ForRewardModel",
                                      "ForProcessRewardModel", "Model"}) {
    if (!architecture.ends_with(head)) continue;
    const std::string decoder = architecture.substr(0, architecture.size() - head.size()) + "ForCausalLM";
    if (known(decoder)) return decoder;
  }
  return "";
}

/// What such a head has in the place of logits is small, and no file states it alike.
void leave_out_logits(ModelOutline& outline, const std::string& architecture) {
  outline.architecture = architecture;
  outline.spec = nullptr;
  outline.output_parameters = 0;
  outline.remarks.emplace_back(
      "The model has another head than one of tokens, whose weights are not counted");
}

/// The first key, or one of several, that a class is nothing without. Experts of 0 stay an error in `keys`.
std::string_view missing_need(const DecoderTraits& traits, const HfKeys& keys) {
  for (const std::string_view need : traits.needs) {
    bool found = need.empty();
    for (std::size_t from = 0; from < need.size();) {
      const std::size_t end = std::min(need.find('|', from), need.size());
      const std::string key(need.substr(from, end - from));
      found = found || keys.has(key.c_str());
      if (const json* value = keys.find(key.c_str()); value != nullptr && *value == 0 && !traits.may_be_dense)
        keys.size(key.c_str());
      from = end + 1;
    }
    if (!found) return need.substr(0, need.find('|'));
  }
  return "";
}

Result<ModelOutline> of_family(const json& config, const std::string& architecture) {
  const ConfigFamily* family = find_config_family(architecture);
  if (const std::string_view reason = why_not_estimated(architecture); !reason.empty())
    return cannot_estimate(fmt::format("layers of architecture `{}` {}", architecture, reason),
                           "architectures");
  const json* text = nested_config(config);
  if (family == nullptr) return unknown_class(architecture, text);
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
    if (const std::string key = unknown_cache_key(*object, family->traits.own_key); !key.empty())
      return unknown_key(key, architecture);
  }
  FirstError first;
  const HfKeys keys(*text, first), outer(config, first);
  ModelOutline out;
  out.architecture = architecture;
  out.context_length = context_of(keys, outer);
  if (out.context_length == 0 && family->traits.context > 0) {
    out.context_length = family->traits.context;
    out.remarks.push_back(
        fmt::format("The file states no length; {} tokens are what models of its class were made for",
                    format_count(out.context_length)));
  }
  ConfigFamily followed = *family;
  if (const std::string_view need = missing_need(followed.traits, keys); !need.empty()) keys.missing(need);
  follow_keys(keys, followed.traits);
  followed.read(ConfigReader{keys, outer, followed, out});
  if (first.error()) return *first.error();
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
    for (const std::string_view key : kCacheKeys) {
      const auto value = object->find(key);
      if (value != object->end() && says_something(*value))
        return unknown_key(key, found->family->architecture);
    }
    if (const std::string key = unknown_cache_key(*object); !key.empty())
      return unknown_key(key, found->family->architecture);
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

/// A language model inside another's file leaves out what its class has as default.
json with_defaults(const json& config) {
  const json* text = nested_config(config);
  if (text == nullptr) return config;
  const std::string_view defaults = nested_defaults(text_under(*text, "model_type"));
  if (defaults.empty()) return config;
  json filled = config;
  for (auto& [key, value] : filled.items()) {
    if (&config.at(key) != text) continue;
    json whole = json::parse(defaults);
    whole.update(value);
    value = std::move(whole);
  }
  return filled;
}

}  // namespace

Result<ModelOutline> outline_of_config(std::string_view config_json, std::string name) {
  auto parsed = parse_json_object(without_python_numbers(config_json), "config.json");
  if (!parsed) return std::move(parsed).error();
  const json& config = *parsed;
  auto architecture = architecture_of(config);
  if (!architecture) return std::move(architecture).error();
  json named = with_defaults(config);
  if (!named.contains("architectures") || named["architectures"].is_null())
    named["architectures"] = json::array({*architecture});
  const std::string decoder = decoder_under_head(*architecture);
  if (!decoder.empty()) named["architectures"] = json::array({decoder});
  auto spec = of_spec(named);
  if (!spec) return std::move(spec).error();
  Result<ModelOutline> outline = *spec ? Result<ModelOutline>(**std::move(spec))
                                       : of_family(named, decoder.empty() ? *architecture : decoder);
  if (!outline) return outline;
  outline->name = std::move(name);
  if (!decoder.empty()) leave_out_logits(*outline, *architecture);
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
