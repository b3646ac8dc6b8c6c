// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_config.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/model/first_error.h"

namespace pitwall {

using nlohmann::json;

namespace {

Error unsupported(std::string what, std::string_view key) {
  return {Error::Kind::unsupported, std::move(what), "",
          "Choose a model of the Llama family that needs none of what is named here", std::string(key)};
}

// Cut, and printable whatever the file holds.
std::string shown(const json& value) {
  constexpr std::size_t kLimit = 80;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLimit) text = text.substr(0, kLimit) + "…";
  return text;
}

Error wrong(std::string_view key, const json& found, std::string_view expected) {
  return {Error::Kind::invalid_input,
          fmt::format("{} is {}, expected {}", quote_for_message(key), shown(found), expected), "",
          "Check the model's config.json", std::string(key)};
}

// A JSON object read by key; null counts as absent. The first error stays.
class Config {
 public:
  Config(const json& object, FirstError& first) : object_(object), first_(first) {}

  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  int count(const char* key) const {
    const json* value = find(key);
    if (value == nullptr) {
      first_.keep({Error::Kind::invalid_input, fmt::format("{} is missing", quote_for_message(key)), "",
                   "Check the model's config.json", key});
      return 0;
    }
    if (value->is_number_unsigned() && value->get<std::uint64_t>() <= std::numeric_limits<int>::max()) {
      return value->get<int>();
    }
    first_.keep(wrong(key, *value, "a count"));
    return 0;
  }
  int count(const char* key, int fallback) const { return find(key) ? count(key) : fallback; }
  double real(const char* key, double fallback) const {
    const json* value = find(key);
    if (value == nullptr) return fallback;
    if (!value->is_number()) first_.keep(wrong(key, *value, "a number"));
    return value->is_number() ? value->get<double>() : fallback;
  }
  bool flag(const char* key, bool fallback) const {
    const json* value = find(key);
    if (value == nullptr) return fallback;
    if (!value->is_boolean()) first_.keep(wrong(key, *value, "true or false"));
    return value->is_boolean() ? value->get<bool>() : fallback;
  }
  std::string text(const char* key, const char* fallback) const {
    const json* value = find(key);
    if (value == nullptr) return fallback;
    if (!value->is_string()) first_.keep(wrong(key, *value, "a string"));
    return value->is_string() ? value->get<std::string>() : fallback;
  }

 private:
  const json& object_;
  FirstError& first_;
};

Result<void> check_architecture(const json& config) {
  const auto names = config.find("architectures");
  if (names == config.end() || !names->is_array() || names->size() != 1 || !names->front().is_string()) {
    return wrong("architectures", names == config.end() ? json() : *names, "a list with one name");
  }
  const auto& name = names->front().get_ref<const std::string&>();
  if (name == "LlamaForCausalLM") return {};
  return unsupported(
      fmt::format("The architecture {} is not supported yet; LlamaForCausalLM is", quote_for_message(name)),
      "architectures");
}

Result<void> check_supported(const json& config) {
  if (auto architecture = check_architecture(config); !architecture.ok()) return architecture;
  FirstError first;
  const Config keys(config, first);
  if (keys.flag("mlp_bias", false))
    return unsupported("The feed-forward layers have biases, which is not supported yet", "mlp_bias");
  if (first.error()) return *first.error();
  return {};
}

Activation activation_of(const Config& keys, FirstError& first) {
  const std::string name = keys.text("hidden_act", "silu");
  if (name == "silu") return Activation::silu;
  if (name == "gelu_pytorch_tanh") return Activation::gelu_tanh;
  first.keep(unsupported(fmt::format("The activation {} is not supported yet; silu and gelu_pytorch_tanh are",
                                     quote_for_message(name)),
                         "hidden_act"));
  return Activation::silu;
}

void check_rope_type(const Config& rope, const char* key, FirstError& first) {
  const std::string type = rope.text("rope_type", rope.text("type", "default").c_str());
  if (type == "default") return;
  first.keep(
      unsupported(fmt::format("Rope scaling of type {} is not supported yet", quote_for_message(type)), key));
}

RopeSpec rope_of(const json& config, const Config& keys, int head_dim, FirstError& first) {
  RopeSpec rope;
  rope.theta = keys.real("rope_theta", 10000.0);
  double rotated = keys.real("partial_rotary_factor", 1.0);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const json* value = keys.find(key);
    if (value == nullptr) continue;
    if (!value->is_object()) {
      first.keep(wrong(key, *value, "an object"));
      continue;
    }
    const Config nested(config.at(key), first);
    check_rope_type(nested, key, first);
    rope.theta = nested.real("rope_theta", rope.theta);
    rotated = nested.real("partial_rotary_factor", rotated);
  }
  if (!(rotated > 0 && rotated <= 1)) {
    first.keep(wrong("partial_rotary_factor", json(rotated), "a share above 0 and up to 1"));
    rotated = 1;
  }
  rope.rotary_dim = static_cast<int>(head_dim * rotated);
  rope.pairing = RopeSpec::Pairing::halves;
  return rope;
}

int head_dimension(const Config& keys, int hidden, int heads, FirstError& first) {
  if (keys.find("head_dim")) return keys.count("head_dim");
  if (heads > 0 && hidden % heads == 0) return hidden / heads;
  first.keep({Error::Kind::invalid_input,
              fmt::format("A hidden width of {} cannot be split into {} heads", hidden, heads), "",
              "Check the model's config.json", "num_attention_heads"});
  return 0;
}

}  // namespace

Result<ModelSpec> read_hf_spec(const json& config) {
  if (auto supported = check_supported(config); !supported.ok()) return supported.error();
  FirstError first;
  const Config keys(config, first);
  ModelSpec spec;
  spec.architecture = "llama";
  spec.hidden = keys.count("hidden_size");
  spec.vocabulary = keys.count("vocab_size");
  spec.context_length = keys.count("max_position_embeddings", 2048);
  spec.norm_epsilon = static_cast<float>(keys.real("rms_norm_eps", 1e-6));
  spec.tied_embeddings = keys.flag("tie_word_embeddings", false);
  spec.says_bfloat16 = keys.text("dtype", keys.text("torch_dtype", "").c_str()) == "bfloat16";

  LayerSpec layer;
  layer.attention.heads = keys.count("num_attention_heads");
  layer.attention.kv_heads = keys.count("num_key_value_heads", layer.attention.heads);
  layer.attention.head_dim = head_dimension(keys, spec.hidden, layer.attention.heads, first);
  layer.attention.qkv_bias = keys.flag("attention_bias", false);
  if (layer.attention.head_dim > 0)
    layer.attention.scale = 1.0f / std::sqrt(static_cast<float>(layer.attention.head_dim));
  layer.attention.rope = rope_of(config, keys, layer.attention.head_dim, first);
  layer.mlp.intermediate = keys.count("intermediate_size");
  layer.mlp.activation = activation_of(keys, first);

  const int layers = keys.count("num_hidden_layers");
  constexpr int kMaxLayers = 100'000;
  if (layers > kMaxLayers)
    first.keep(wrong("num_hidden_layers", json(layers), fmt::format("at most {}", kMaxLayers)));
  if (first.error()) return *first.error();
  spec.layers.assign(static_cast<std::size_t>(layers), layer);
  if (auto checked = spec.check(); !checked.ok()) return checked.error();
  return spec;
}

}  // namespace pitwall
