// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text_escape.h"

namespace pitwall {

namespace {

// Keys that would change the arithmetic: only the value that changes nothing is accepted, unless the family
// honours the key.
struct NeutralKey {
  std::string_view name;
  double neutral;
  std::string_view means;
};
constexpr NeutralKey kNeutralKeys[] = {
    {"expert_count", 0, "a mixture of experts"},
    {"attention.sliding_window", 0, "sliding-window attention"},
    {"attention.scale", 0, "its own attention scale"},
    {"logit_scale", 1, "scaled logits"},
    {"embedding_scale", 1, "scaled embeddings"},
    {"residual_scale", 1, "scaled residuals"},
    {"attn_logit_softcapping", 0, "soft-capped attention"},
    {"final_logit_softcapping", 0, "soft-capped logits"},
    {"attention.max_alibi_bias", 0, "ALiBi"},
    {"attention.clamp_kqv", 0, "clamped q, k and v"},
    {"leading_dense_block_count", 0, "dense layers before its experts"},
    {"expert_weights_scale", 1, "scaled expert weights"},
    {"expert_gating_func", 1, "a router without softmax"},
    {"expert_group_count", 1, "groups of experts"},
    {"interleave_moe_layer_step", 1, "experts in some layers only"},
};

void refuse_what_counts(const GgufKeys& keys, const GgufFamily& family) {
  for (const NeutralKey& neutral : kNeutralKeys) {
    const bool honoured =
        std::find(family.honours.begin(), family.honours.end(), neutral.name) != family.honours.end();
    if (honoured || !keys.has(neutral.name)) continue;
    const double value = keys.number(neutral.name);
    if (value != neutral.neutral) {
      keys.unsupported(
          fmt::format("The model uses {} ({} = {}), which is not supported for the architecture {}",
                      neutral.means, keys.key(neutral.name), value, family.name),
          neutral.name);
    }
  }
}

int layer_count(const GgufKeys& keys, std::size_t tensors) {
  constexpr std::string_view kName = "block_count";
  const int layers = keys.count(kName);
  if (static_cast<std::size_t>(layers) <= tensors) return layers;
  keys.errors().keep({Error::Kind::invalid_input,
                      fmt::format("Metadata key \"{}\" is {}, but the file has only {} tensors",
                                  keys.key(kName), layers, tensors),
                      "", "Fetch or convert the model again", keys.key(kName)});
  return 0;
}

int head_dimension(const GgufKeys& keys, int hidden, int heads) {
  if (keys.has("attention.key_length")) {
    const int width = keys.count("attention.key_length");
    const int values = keys.count("attention.value_length", width);
    if (values != width) {
      keys.unsupported(
          fmt::format("Keys of {} and values of {} numbers per head are not supported", width, values),
          "attention.value_length");
    }
    constexpr int kMostHeadNumbers = 4096;
    if (width > kMostHeadNumbers) {
      keys.unsupported(
          fmt::format("Heads of {} numbers are not supported; {} is the most", width, kMostHeadNumbers),
          "attention.key_length");
      return 0;
    }
    return width;
  }
  if (heads > 0 && hidden % heads == 0) return hidden / heads;
  keys.errors().keep({Error::Kind::invalid_input,
                      fmt::format("A hidden width of {} cannot be split into {} heads", hidden, heads), "",
                      "Check the model's configuration", keys.key("attention.head_count")});
  return 0;
}

/// A vector of rope divisors that the file keeps as a tensor; empty when absent.
std::vector<double> take_divisors(WeightBinder& binder, const char* name) {
  if (!binder.has(name)) return {};
  const TensorView view = binder.beside_weights(name);
  constexpr std::int64_t kMost = 1 << 20;
  const std::int64_t count = std::min(view.rows * view.columns, kMost);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  if (tensor_type_info(view.type).block_elements == 1)
    dequantize(view.type, view.data, numbers.data(), count);
  return {numbers.begin(), numbers.end()};
}

void read_named_scaling(const GgufKeys& keys, const std::string& type, double factor, int context,
                        RopeSpec& rope) {
  RopeSpec::Scaling& scaling = rope.scaling;
  scaling.original_context = keys.count("rope.scaling.original_context_length", context);
  scaling.factor = factor;
  rope.attention_factor = keys.real("rope.scaling.attn_factor", 1);
  if (type == "linear") {
    scaling.kind = RopeSpec::Scaling::Kind::linear;
    rope.attention_factor = 1;
  } else if (type == "yarn") {
    scaling.kind = RopeSpec::Scaling::Kind::yarn;
    scaling.beta_fast = keys.real("rope.scaling.yarn_beta_fast", scaling.beta_fast);
    scaling.beta_slow = keys.real("rope.scaling.yarn_beta_slow", scaling.beta_slow);
    if (scaling.factor > 1) rope.attention_factor *= 1 + 0.1 * std::log(scaling.factor);
  } else if (type == "longrope") {
    scaling.kind = RopeSpec::Scaling::Kind::longrope;
  } else {
    keys.unsupported(
        fmt::format("The model uses rope scaling of type {}; linear, yarn and longrope are supported",
                    quote_for_message(type)),
        "rope.scaling.type");
  }
}

RopeSpec rope_of(const GgufKeys& keys, const GgufFamily& family, int head_dim, int context,
                 WeightBinder& binder) {
  RopeSpec rope;
  rope.pairing = family.pairing;
  rope.rotary_dim = keys.count("rope.dimension_count", head_dim);
  rope.theta = keys.real("rope.freq_base", 10000);
  std::vector<double> stored = take_divisors(binder, "rope_freqs.weight");
  std::vector<double> short_factors = take_divisors(binder, "rope_factors_short.weight");
  std::vector<double> long_factors = take_divisors(binder, "rope_factors_long.weight");
  std::string type = keys.text("rope.scaling.type", "none");
  // Older files name a factor alone, and files with factors by dimension no type.
  const double factor =
      keys.has("rope.scaling.factor") ? keys.real("rope.scaling.factor") : keys.real("rope.scale_linear", 1);
  if (type == "none" && !long_factors.empty()) type = "longrope";
  if (type == "none" && !keys.has("rope.scaling.type") && factor != 0 && factor != 1) type = "linear";
  if (type != "none") {
    read_named_scaling(keys, type, factor, context, rope);
  } else if (!stored.empty()) {
    rope.scaling.kind = RopeSpec::Scaling::Kind::divisors;
  }
  const bool by_dimension = rope.scaling.kind == RopeSpec::Scaling::Kind::longrope;
  rope.scaling.short_factors = by_dimension ? std::move(short_factors) : std::move(stored);
  if (by_dimension) rope.scaling.long_factors = std::move(long_factors);
  return rope;
}

MoeSpec experts_of(const GgufKeys& keys, const GgufFamily& family, const TensorNames& names, int intermediate,
                   const WeightBinder& binder) {
  MoeSpec moe;
  moe.experts = keys.count("expert_count");
  moe.top_k = keys.count("expert_used_count");
  moe.intermediate = keys.count("expert_feed_forward_length", intermediate);
  moe.renormalise = family.renormalises_experts;
  const std::string shared = names.tensor_of_layer(0, names.shared_up) + ".weight";
  if (!binder.has(shared)) return moe;
  // The files of Qwen 1.5 MoE give the shared width as a key, later ones by the tensor alone.
  const int rows = keys.errors().take(binder.rows_of(shared));
  moe.shared_intermediate = keys.count("expert_shared_feed_forward_length", rows);
  moe.shared_gate = binder.has(names.tensor_of_layer(0, names.shared_router));
  return moe;
}

QkNorm qk_norm_of(const WeightBinder& binder, const TensorNames& names) {
  const TensorView* q = binder.find(names.tensor_of_layer(0, names.q_norm));
  if (q == nullptr) return QkNorm::none;
  return q->rows > 1 ? QkNorm::per_head : QkNorm::shared;
}

}  // namespace

Result<const GgufFamily*> find_gguf_family_of(const GgufMetadata& metadata) {
  const auto architecture = metadata.text("general.architecture");
  if (!architecture.ok()) return architecture.error();
  if (const GgufFamily* family = find_gguf_family(*architecture)) return family;
  return Error{Error::Kind::unsupported,
               fmt::format("The architecture {} is not supported", quote_for_message(*architecture)), "",
               fmt::format("Choose a model of one of these: {}", fmt::join(gguf_architectures(), ", ")),
               "general.architecture"};
}

Result<ModelSpec> read_gguf_spec(const GgufMetadata& metadata, const GgufFamily& family,
                                 const std::string& name, WeightBinder& binder) {
  FirstError first;
  const GgufKeys keys(metadata, family.name, first);
  const TensorNames names = gguf_tensor_names(family);
  refuse_what_counts(keys, family);
  ModelSpec spec;
  spec.architecture = family.name;
  spec.name = first.take(metadata.text("general.name", name));
  spec.hidden = keys.count("embedding_length");
  spec.context_length = keys.count("context_length");
  spec.norm.kind = family.norm;
  spec.norm.epsilon = static_cast<float>(keys.real(family.norm == NormSpec::Kind::layer
                                                       ? "attention.layer_norm_epsilon"
                                                       : "attention.layer_norm_rms_epsilon"));
  spec.vocabulary = keys.count("vocab_size", first.take(binder.rows_of(names.embedding)));
  spec.tied_embeddings = !binder.has(names.output);

  const auto layers = static_cast<std::size_t>(layer_count(keys, binder.size()));
  const std::vector<int> heads = keys.per_layer("attention.head_count", layers);
  const std::vector<int> kv_heads =
      keys.has("attention.head_count_kv") ? keys.per_layer("attention.head_count_kv", layers) : heads;
  const bool experts = keys.has("expert_count") && keys.count("expert_count") > 0;
  const std::vector<int> intermediate = experts && !keys.has("feed_forward_length")
                                            ? std::vector<int>(layers, 0)
                                            : keys.per_layer("feed_forward_length", layers);
  if (first.error()) return *first.error();
  for (std::size_t i = 0; i < layers; ++i) {
    LayerSpec& layer = spec.layers.emplace_back();
    if (i == 1 && spec.layers.front().attention.rope) {
      const AttentionSpec& attention = spec.layers.front().attention;
      first.check(check_rope(*attention.rope, attention.head_dim));  // before it is copied for each layer
      if (first.error()) return *first.error();
    }
    if (i > 0) {
      layer = spec.layers.front();
    } else {
      layer.attention.head_dim = head_dimension(keys, spec.hidden, heads[0]);
      if (layer.attention.head_dim > 0)
        layer.attention.scale = 1.0f / std::sqrt(static_cast<float>(layer.attention.head_dim));
      layer.attention.rope = rope_of(keys, family, layer.attention.head_dim, spec.context_length, binder);
      layer.attention.qkv_bias = binder.has(names.tensor_of_layer(0, names.q) + ".bias");
      layer.attention.output_bias = binder.has(names.tensor_of_layer(0, names.o) + ".bias");
      layer.attention.qk_norm = qk_norm_of(binder, names);
      layer.mlp.activation = family.activation;
      layer.mlp.bias = binder.has(names.tensor_of_layer(0, names.down) + ".bias");
      layer.post_norms = family.post_norms;
      layer.parallel = family.parallel;
    }
    layer.attention.heads = heads[i];
    layer.attention.kv_heads = kv_heads[i];
    layer.mlp.intermediate = intermediate[i];
  }
  if (experts && layers > 0) {
    const MoeSpec moe = experts_of(keys, family, names, intermediate[0], binder);
    for (LayerSpec& layer : spec.layers) layer.mlp.intermediate = 0, layer.mlp.moe = moe;
  }
  if (family.refine) family.refine(keys, spec);
  first.check(spec.check());
  if (first.error()) return *first.error();
  return spec;
}

}  // namespace pitwall
