// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/model/hf_rope.h"
#include "engine/model/json_text.h"

namespace pitwall {

using nlohmann::json;

namespace {

/// Checkpoints that see or hear: the language model inside is one of the families.
struct Wrapper {
  std::string_view architecture, model_type, family;
};
constexpr Wrapper kWrappers[] = {
    {"Gemma3ForConditionalGeneration", "gemma3_text", "Gemma3ForCausalLM"},
    {"Mistral3ForConditionalGeneration", "mistral", "MistralForCausalLM"},
};

Error unknown_architecture(std::string_view name) {
  return {Error::Kind::unsupported,
          fmt::format("The architecture {} is not supported", quote_for_message(name)), "",
          fmt::format("Choose a model of one of these: {}", fmt::join(hf_architectures(), ", ")),
          "architectures"};
}

Activation activation_of(const HfKeys& keys, const HfFamily& family) {
  std::string name = keys.text("hidden_activation", "");
  // Gemma's first files say "gelu" under hidden_act and mean the tanh form.
  if (name.empty())
    name = family.activation_by_hidden_act ? keys.text("hidden_act", family.activation)
                                           : std::string(family.activation);
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "gelu_pytorch_tanh" || name == "gelu_new" || name == "gelu_fast") return Activation::gelu_tanh;
  keys.unsupported(fmt::format("The activation {} is not supported; silu and gelu_pytorch_tanh are",
                               quote_for_message(name)),
                   keys.has("hidden_activation") ? "hidden_activation" : "hidden_act");
  return Activation::silu;
}

int head_dimension(const HfKeys& keys, const HfFamily& family, int hidden, int heads) {
  if (keys.has("head_dim")) return keys.size("head_dim");
  if (family.head_dim > 0 && !keys.names("head_dim")) return family.head_dim;
  if (heads > 0 && hidden % heads == 0) return hidden / heads;
  keys.errors().keep({Error::Kind::invalid_input,
                      fmt::format("A hidden width of {} cannot be split into {} heads", hidden, heads), "",
                      "Check the model's config.json", "num_attention_heads"});
  return 0;
}

int size_or(const HfKeys& keys, const char* key, int assumed) {
  return assumed > 0 ? keys.size(key, assumed) : keys.size(key);
}

AttentionSpec attention_of(const HfKeys& keys, const HfFamily& family, const ModelSpec& spec) {
  AttentionSpec attention;
  attention.heads = size_or(keys, "num_attention_heads", family.heads);
  const bool says_kv = keys.names("num_key_value_heads") || family.kv_heads == 0;
  attention.kv_heads = keys.size("num_key_value_heads", says_kv ? attention.heads : family.kv_heads);
  attention.head_dim = head_dimension(keys, family, spec.hidden, attention.heads);
  if (attention.head_dim > 0) attention.scale = 1.0f / std::sqrt(static_cast<float>(attention.head_dim));
  switch (family.bias) {
    case HfFamily::Bias::never:
      break;
    case HfFamily::Bias::qkv:
      attention.qkv_bias = true;
      break;
    case HfFamily::Bias::attention_bias:
      attention.qkv_bias = attention.output_bias = keys.flag("attention_bias", false);
      break;
    case HfFamily::Bias::qkv_as_configured:
      attention.qkv_bias = keys.flag("qkv_bias", true);
      break;
  }
  attention.qk_norm = family.qk_norm;
  HfRopeDefaults defaults;
  defaults.theta = family.theta;
  defaults.layer_type = "full_attention";
  defaults.original_context = family.rope_original_context;
  defaults.yarn_is_longrope = family.rope_yarn_is_longrope;
  defaults.partial = family.partial_rotary;
  attention.rope = read_hf_rope(keys, attention.head_dim, spec.context_length, defaults);
  attention.rope->pairing = family.pairing;
  return attention;
}

/// YaRN, dynamic and linear files often keep the trained length as max_position_embeddings. Gemma 3's, which
/// are linear, state the scaled one; so do the other kinds.
int stretched_context(const ModelSpec& spec) {
  double longest = spec.context_length;
  for (const LayerSpec& layer : spec.layers) {
    if (!layer.attention.rope) continue;
    const RopeSpec::Scaling& scaling = layer.attention.rope->scaling;
    using Kind = RopeSpec::Scaling::Kind;
    const bool linear = scaling.kind == Kind::linear && spec.architecture != "gemma3";
    const bool stretches = scaling.kind == Kind::yarn || scaling.kind == Kind::dynamic || linear;
    if (stretches) longest = std::max(longest, scaling.factor * scaling.original_context);
  }
  constexpr double kMost = 1 << 30;
  return static_cast<int>(std::min(longest, kMost));
}

}  // namespace

Result<json> parse_hf_config(std::string_view text, const std::filesystem::path& folder) {
  auto config = parse_json_object(without_python_numbers(text), folder / "config.json");
  const std::filesystem::path beside = folder / "hf_quant_config.json";
  std::error_code ignored;
  if (!config || config->contains("quantization_config") || !std::filesystem::exists(beside, ignored))
    return config;
  if (!std::filesystem::is_regular_file(beside, ignored)) {  // reading a pipe may never end
    return Error{Error::Kind::invalid_input, beside.string() + " is no regular file", "",
                 "Fetch the model again", ""};
  }
  auto quantised = read_json_object(beside);
  if (!quantised) return quantised;
  const auto settings = quantised->find("quantization");
  if (settings != quantised->end() && settings->is_object() &&
      !settings->value("quant_algo", json()).is_null())
    (*config)["quantization_config"] = *settings;
  return config;
}

Result<HfConfig> find_hf_config(const json& config) {
  const auto names = config.find("architectures");
  if (names == config.end() || !names->is_array() || names->size() != 1 || !names->front().is_string()) {
    FirstError first;
    HfKeys(config, first).wrong("architectures", "a list with one name");
    return *first.error();
  }
  const auto& name = names->front().get_ref<const std::string&>();
  if (const HfFamily* family = find_hf_family(name)) return HfConfig{family, &config, false};
  for (const Wrapper& wrapper : kWrappers) {
    if (wrapper.architecture != name) continue;
    FirstError first;
    const json* text = HfKeys(config, first).object("text_config");
    if (text == nullptr) {
      HfKeys(config, first).missing("text_config");
      return *first.error();
    }
    const std::string type = HfKeys(*text, first).text("model_type", wrapper.model_type);
    if (first.error()) return *first.error();
    if (type == wrapper.model_type) return HfConfig{find_hf_family(wrapper.family), text, true};
    return unknown_architecture(name + " of " + type);
  }
  return unknown_architecture(name);
}

Result<ModelSpec> read_hf_spec(const json& config) {
  const auto found = find_hf_config(config);
  if (!found.ok()) return found.error();
  const HfFamily& family = *found->family;
  FirstError first;
  const HfKeys keys(*found->text, first), outer(config, first);
  ModelSpec spec;
  spec.architecture = family.name;
  spec.hidden = keys.size("hidden_size");
  spec.vocabulary = size_or(keys, "vocab_size", family.vocabulary);
  spec.context_length = keys.size("max_position_embeddings", family.context);
  spec.norm.kind = family.norm;
  spec.norm.weight_offset = family.norm_offset;
  spec.norm.epsilon = static_cast<float>(
      keys.real(family.norm == NormSpec::Kind::layer ? "layer_norm_eps" : "rms_norm_eps", family.epsilon));
  spec.tied_embeddings = outer.flag("tie_word_embeddings", keys.flag("tie_word_embeddings", family.tied));
  const std::string dtype = outer.text("dtype", outer.text("torch_dtype", ""));
  spec.bfloat16_reference = keys.text("dtype", keys.text("torch_dtype", dtype)) == "bfloat16";

  LayerSpec layer;
  layer.attention = attention_of(keys, family, spec);
  layer.mlp.intermediate = keys.size("intermediate_size");
  layer.mlp.activation = activation_of(keys, family);
  layer.mlp.bias = family.mlp_bias && keys.flag("mlp_bias", false);
  layer.post_norms = family.post_norms;
  layer.parallel = family.parallel;

  const int layers = keys.size("num_hidden_layers");
  constexpr int kMaxLayers = 10'000;
  if (layers > kMaxLayers) keys.wrong("num_hidden_layers", fmt::format("at most {}", kMaxLayers));
  if (first.error()) return *first.error();
  spec.layers = {layer};  // found sound before it is copied for each layer that the file claims
  if (auto checked = spec.check(); !checked.ok()) return checked.error();
  spec.layers.assign(static_cast<std::size_t>(layers), layer);
  if (family.refine) family.refine(keys, spec);
  if (first.error()) return *first.error();
  spec.context_length = stretched_context(spec);
  if (auto checked = spec.check(); !checked.ok()) return checked.error();
  return spec;
}

}  // namespace pitwall
