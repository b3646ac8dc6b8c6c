// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_families.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/model/hf_rope.h"

namespace pitwall {

namespace {

constexpr TensorNames kHubNames = {
    .embedding = "model.embed_tokens.weight",
    .output_norm = "model.norm.weight",
    .output = "lm_head.weight",
    .layer_prefix = "model.layers.",
    .attention_norm = "input_layernorm.weight",
    .q = "self_attn.q_proj",
    .k = "self_attn.k_proj",
    .v = "self_attn.v_proj",
    .o = "self_attn.o_proj",
    .qkv = "self_attn.qkv_proj",
    .q_norm = "self_attn.q_norm.weight",
    .k_norm = "self_attn.k_norm.weight",
    .mlp_norm = "post_attention_layernorm.weight",
    .gate = "mlp.gate_proj",
    .up = "mlp.up_proj",
    .down = "mlp.down_proj",
    .gate_up = "mlp.gate_up_proj",
    .router = "mlp.gate.weight",
    .expert_prefix = "mlp.experts.",
    .expert_gate = "gate_proj.weight",
    .expert_up = "up_proj.weight",
    .expert_down = "down_proj.weight",
    .shared_gate = "mlp.shared_expert.gate_proj",
    .shared_up = "mlp.shared_expert.up_proj",
    .shared_down = "mlp.shared_expert.down_proj",
    .shared_router = "mlp.shared_expert_gate.weight",
};

constexpr TensorNames with_post_norms() {
  TensorNames names = kHubNames;
  names.post_attention_norm = "post_attention_layernorm.weight";
  names.mlp_norm = "pre_feedforward_layernorm.weight";
  names.post_mlp_norm = "post_feedforward_layernorm.weight";
  return names;
}

constexpr TensorNames of_mixtral() {
  TensorNames names = kHubNames;
  names.router = "block_sparse_moe.gate.weight";
  names.expert_prefix = "block_sparse_moe.experts.";
  names.expert_gate = "w1.weight";
  names.expert_up = "w3.weight";
  names.expert_down = "w2.weight";
  return names;
}

int layer_count(const ModelSpec& spec) {
  return static_cast<int>(spec.layers.size());
}

AttentionSpec& attention_of(ModelSpec& spec, int layer) {
  return spec.layers[static_cast<std::size_t>(layer)].attention;
}

std::optional<int> window_of(const HfKeys& keys, std::optional<int> fallback = std::nullopt) {
  if (keys.has("sliding_window")) return keys.count("sliding_window");
  return keys.names("sliding_window") ? std::nullopt : fallback;
}

/// `layer_types` where the file lists them, else `slides(layer)`, say which layers have the window.
template <class Slides>
void set_windows(const HfKeys& keys, ModelSpec& spec, std::optional<int> window, const Slides& slides) {
  const std::vector<std::string> types = keys.texts("layer_types", spec.layers.size());
  if (keys.errors().error()) return;
  for (int layer = 0; layer < layer_count(spec); ++layer) {
    bool sliding = types.empty() && slides(layer);
    if (!types.empty()) {
      const std::string& type = types[static_cast<std::size_t>(layer)];
      sliding = type == "sliding_attention";
      if (!sliding && type != "full_attention") {
        keys.unsupported(
            fmt::format("Layer {} has attention of type {}; full_attention and sliding_attention "
                        "are supported",
                        layer, quote_for_message(type)),
            "layer_types");
        return;
      }
    }
    if (sliding && !window) {
      keys.unsupported(
          fmt::format("Layer {} has a sliding window, but \"sliding_window\" gives no length", layer),
          "sliding_window");
      return;
    }
    if (sliding) attention_of(spec, layer).window = window;
  }
}

/// For families whose `layer_types` transformers does not read: all layers have the window.
void set_window(ModelSpec& spec, std::optional<int> window) {
  for (LayerSpec& layer : spec.layers) layer.attention.window = window;
}

void refine_with_window(const HfKeys& keys, ModelSpec& spec) {
  set_window(spec, window_of(keys));
}

void refine_mistral(const HfKeys& keys, ModelSpec& spec) {
  constexpr int kAssumed = 4096;
  const std::optional<int> window = window_of(keys, kAssumed);
  if (window) set_windows(keys, spec, window, [](int) { return true; });
}

void refine_mixtral(const HfKeys& keys, ModelSpec& spec) {
  refine_with_window(keys, spec);
  MoeSpec moe;
  moe.experts = keys.count("num_local_experts", 8);
  moe.top_k = keys.count("num_experts_per_tok", 2);
  moe.renormalise = true;
  for (LayerSpec& layer : spec.layers) {
    moe.intermediate = std::exchange(layer.mlp.intermediate, 0);
    layer.mlp.moe = moe;
  }
}

void refine_qwen(const HfKeys& keys, ModelSpec& spec) {
  const int full_layers = keys.count("max_window_layers", 28);
  const bool windows = keys.flag("use_sliding_window", false);
  set_windows(keys, spec, windows ? window_of(keys, 4096) : std::nullopt,
              [&](int layer) { return windows && layer >= full_layers; });
}

/// The layers that `mlp_only_layers` and `decoder_sparse_step` leave.
void set_qwen_experts(const HfKeys& keys, ModelSpec& spec, const MoeSpec& moe) {
  const std::vector<int> dense = keys.counts("mlp_only_layers");
  const int step = keys.size("decoder_sparse_step", 1);
  for (int layer = 0; layer < layer_count(spec); ++layer) {
    const bool sparse = moe.experts > 0 && step > 0 && (layer + 1) % step == 0 &&
                        std::find(dense.begin(), dense.end(), layer) == dense.end();
    if (!sparse) continue;
    MlpSpec& mlp = spec.layers[static_cast<std::size_t>(layer)].mlp;
    mlp.intermediate = 0;
    mlp.moe = moe;
  }
}

void refine_qwen2_moe(const HfKeys& keys, ModelSpec& spec) {
  const int sliding_layers = keys.count("max_window_layers", 28);
  const bool windows = keys.flag("use_sliding_window", false);
  set_windows(keys, spec, windows ? window_of(keys, 4096) : std::nullopt,
              [&](int layer) { return windows && layer % 2 == 0 && layer < sliding_layers; });
  MoeSpec moe;
  moe.experts = keys.count("num_experts", 60);
  moe.top_k = keys.count("num_experts_per_tok", 4);
  moe.intermediate = keys.count("moe_intermediate_size", 1408);
  moe.renormalise = keys.flag("norm_topk_prob", false);
  moe.shared_intermediate = keys.count("shared_expert_intermediate_size", 5632);
  moe.shared_gate = moe.shared_intermediate > 0;
  set_qwen_experts(keys, spec, moe);
}

void refine_qwen3_moe(const HfKeys& keys, ModelSpec& spec) {
  if (keys.flag("use_sliding_window", false)) set_window(spec, window_of(keys, 4096));
  MoeSpec moe;
  moe.experts = keys.count("num_experts", keys.count("num_local_experts", 128));
  moe.top_k = keys.count("num_experts_per_tok", 8);
  moe.intermediate = keys.count("moe_intermediate_size", 768);
  moe.renormalise = keys.flag("norm_topk_prob", false);
  set_qwen_experts(keys, spec, moe);
}

void refuse_bidirectional(const HfKeys& keys) {
  if (keys.flag("use_bidirectional_attention", false))
    keys.unsupported("Attention in both directions is not supported", "use_bidirectional_attention");
}

void refine_gemma(const HfKeys& keys, ModelSpec& spec) {
  refuse_bidirectional(keys);
  spec.embedding_scale = std::sqrt(static_cast<float>(spec.hidden));
}

void refine_gemma2(const HfKeys& keys, ModelSpec& spec) {
  refine_gemma(keys, spec);
  const float scale = static_cast<float>(1 / std::sqrt(keys.real("query_pre_attn_scalar", 256)));
  const auto cap = [&](const char* key, double fallback) {
    return static_cast<float>(keys.real(key, keys.names(key) ? 0 : fallback));
  };
  spec.logit_softcap = cap("final_logit_softcapping", 30);
  for (LayerSpec& layer : spec.layers) {
    layer.attention.scale = scale;
    layer.attention.softcap = cap("attn_logit_softcapping", 50);
  }
  set_windows(keys, spec, window_of(keys, 4096), [](int layer) { return layer % 2 == 0; });
}

void refine_gemma3(const HfKeys& keys, ModelSpec& spec) {
  refine_gemma(keys, spec);
  const float scale = static_cast<float>(1 / std::sqrt(keys.real("query_pre_attn_scalar", 256)));
  spec.logit_softcap = static_cast<float>(keys.real("final_logit_softcapping", 0));
  const int head_dim = spec.layers.empty() ? 0 : spec.layers.front().attention.head_dim;
  HfRopeDefaults global, local;
  global.layer_type = "full_attention";
  global.theta = 1'000'000;
  local.layer_type = "sliding_attention";
  local.theta_key = "rope_local_base_freq";
  local.scaled = false;
  const RopeSpec global_rope = read_hf_rope(keys, head_dim, spec.context_length, global);
  const RopeSpec local_rope = read_hf_rope(keys, head_dim, spec.context_length, local);

  const int pattern = keys.size("sliding_window_pattern", keys.size("_sliding_window_pattern", 6));
  set_windows(keys, spec, window_of(keys, 4096),
              [&](int layer) { return pattern > 0 && (layer + 1) % pattern != 0; });
  for (LayerSpec& layer : spec.layers) {
    layer.attention.scale = scale;
    layer.attention.rope = layer.attention.window ? local_rope : global_rope;
  }
}

void refine_granite(const HfKeys& keys, ModelSpec& spec) {
  spec.embedding_scale = static_cast<float>(keys.real("embedding_multiplier", 1));
  spec.residual_scale = static_cast<float>(keys.real("residual_multiplier", 1));
  spec.logit_scale = static_cast<float>(1 / keys.real("logits_scaling", 1));
  for (LayerSpec& layer : spec.layers)
    layer.attention.scale = static_cast<float>(keys.real("attention_multiplier", 1));
}

void refine_cohere(const HfKeys& keys, ModelSpec& spec) {
  spec.logit_scale = static_cast<float>(keys.real("logit_scale", 0.0625));
  if (!keys.flag("use_qk_norm", false)) return;
  for (LayerSpec& layer : spec.layers) layer.attention.qk_norm = QkNorm::per_head;
}

void refine_cohere2(const HfKeys& keys, ModelSpec& spec) {
  spec.logit_scale = static_cast<float>(keys.real("logit_scale", 0.0625));
  const int pattern = keys.size("sliding_window_pattern", keys.size("_sliding_window_pattern", 4));
  set_windows(keys, spec, window_of(keys, 4096),
              [&](int layer) { return pattern > 0 && (layer + 1) % pattern != 0; });
  for (LayerSpec& layer : spec.layers) {
    if (!layer.attention.window) layer.attention.rope.reset();
  }
}

void refine_smollm3(const HfKeys& keys, ModelSpec& spec) {
  const int interval = keys.size("no_rope_layer_interval", 4);
  const std::vector<int> rotated = keys.counts("no_rope_layers");  // 1 = rotated, in spite of the name
  if (!rotated.empty() && rotated.size() != spec.layers.size()) {
    keys.wrong("no_rope_layers", fmt::format("one for each of the {} layers", spec.layers.size()));
    return;
  }
  const auto has_rope = [&](int layer) {
    if (!rotated.empty()) return rotated[static_cast<std::size_t>(layer)] != 0;
    return interval <= 0 || (layer + 1) % interval != 0;
  };
  const bool windows = keys.flag("use_sliding_window", false);
  if (keys.has("sliding_window") && (windows || keys.has("layer_types")))
    set_windows(keys, spec, window_of(keys), [&](int layer) { return windows && !has_rope(layer); });
  for (int layer = 0; layer < layer_count(spec); ++layer) {
    if (!has_rope(layer)) attention_of(spec, layer).rope.reset();
  }
}

using Bias = HfFamily::Bias;

const HfFamily kFamilies[] = {
    {.architecture = "LlamaForCausalLM",
     .name = "llama",
     .names = kHubNames,
     .bias = Bias::attention_bias,
     .mlp_bias = true},
    {.architecture = "MistralForCausalLM",
     .name = "mistral",
     .names = kHubNames,
     .context = 131072,
     .kv_heads = 8,
     .refine = refine_mistral},
    {.architecture = "MixtralForCausalLM",
     .name = "mixtral",
     .names = of_mixtral(),
     .context = 131072,
     .theta = 1'000'000,
     .epsilon = 1e-5,
     .kv_heads = 8,
     .refine = refine_mixtral},
    {.architecture = "Qwen2ForCausalLM",
     .name = "qwen2",
     .names = kHubNames,
     .context = 32768,
     .bias = Bias::qkv,
     .refine = refine_qwen},
    {.architecture = "Qwen2MoeForCausalLM",
     .name = "qwen2moe",
     .names = kHubNames,
     .context = 32768,
     .bias = Bias::qkv_as_configured,
     .refine = refine_qwen2_moe},
    {.architecture = "Qwen3ForCausalLM",
     .name = "qwen3",
     .names = kHubNames,
     .context = 32768,
     .head_dim = 128,
     .bias = Bias::attention_bias,
     .qk_norm = QkNorm::shared,
     .refine = refine_qwen},
    {.architecture = "Qwen3MoeForCausalLM",
     .name = "qwen3moe",
     .names = kHubNames,
     .context = 32768,
     .kv_heads = 4,
     .bias = Bias::attention_bias,
     .qk_norm = QkNorm::shared,
     .refine = refine_qwen3_moe},
    {.architecture = "GemmaForCausalLM",
     .name = "gemma",
     .names = kHubNames,
     .context = 8192,
     .tied = true,
     .head_dim = 256,
     .norm_offset = 1,
     .bias = Bias::attention_bias,
     .activation = "gelu_pytorch_tanh",
     .activation_by_hidden_act = false,
     .refine = refine_gemma},
    {.architecture = "Gemma2ForCausalLM",
     .name = "gemma2",
     .names = with_post_norms(),
     .context = 8192,
     .tied = true,
     .head_dim = 256,
     .kv_heads = 4,
     .norm_offset = 1,
     .bias = Bias::attention_bias,
     .post_norms = true,
     .activation = "gelu_pytorch_tanh",
     .activation_by_hidden_act = false,
     .refine = refine_gemma2},
    {.architecture = "Gemma3ForCausalLM",
     .name = "gemma3",
     .names = with_post_norms(),
     .context = 131072,
     .tied = true,
     .head_dim = 256,
     .vocabulary = 262'208,
     .heads = 8,
     .kv_heads = 4,
     .norm_offset = 1,
     .bias = Bias::attention_bias,
     .qk_norm = QkNorm::shared,
     .post_norms = true,
     .activation = "gelu_pytorch_tanh",
     .activation_by_hidden_act = false,
     .refine = refine_gemma3},
    {.architecture = "Phi3ForCausalLM",
     .name = "phi3",
     .names = kHubNames,
     .context = 4096,
     .epsilon = 1e-5,
     .partial_rotary = true,
     .rope_yarn_is_longrope = true,
     .rope_original_context = 4096,
     .refine = refine_with_window},
    {.architecture = "GraniteForCausalLM",
     .name = "granite",
     .names = kHubNames,
     .bias = Bias::attention_bias,
     .mlp_bias = true,
     .refine = refine_granite},
    {.architecture = "CohereForCausalLM",
     .name = "cohere",
     .names = kHubNames,
     .context = 8192,
     .theta = 500'000,
     .epsilon = 1e-5,
     .tied = true,
     .norm = NormSpec::Kind::layer,
     .pairing = RopeSpec::Pairing::neighbours,
     .bias = Bias::attention_bias,
     .parallel = true,
     .refine = refine_cohere},
    {.architecture = "Cohere2ForCausalLM",
     .name = "cohere2",
     .names = kHubNames,
     .context = 8192,
     .epsilon = 1e-5,
     .tied = true,
     .norm = NormSpec::Kind::layer,
     .pairing = RopeSpec::Pairing::neighbours,
     .bias = Bias::attention_bias,
     .parallel = true,
     .refine = refine_cohere2},
    {.architecture = "SmolLM3ForCausalLM",
     .name = "smollm3",
     .names = kHubNames,
     .context = 32768,
     .theta = 2'000'000,
     .tied = true,
     .kv_heads = 4,
     .bias = Bias::attention_bias,
     .mlp_bias = true,
     .refine = refine_smollm3},
};

}  // namespace

const HfFamily* find_hf_family(std::string_view architecture) {
  const auto found = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                  [&](const HfFamily& one) { return one.architecture == architecture; });
  return found == std::end(kFamilies) ? nullptr : found;
}

std::vector<std::string_view> hf_architectures() {
  std::vector<std::string_view> names;
  for (const HfFamily& family : kFamilies) names.push_back(family.architecture);
  return names;
}

}  // namespace pitwall
