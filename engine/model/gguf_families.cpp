// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/gguf_families.h"

#include <algorithm>
#include <cmath>

namespace pitwall {

namespace {

/// The window of layers that `slides(layer)` names, where the file has one.
template <class Slides>
void set_windows(const GgufKeys& keys, ModelSpec& spec, const Slides& slides) {
  const int window = keys.count("attention.sliding_window", 0);
  if (window == 0) return;
  for (std::size_t layer = 0; layer < spec.layers.size(); ++layer) {
    if (slides(static_cast<int>(layer))) spec.layers[layer].attention.window = window;
  }
}

void refine_with_window(const GgufKeys& keys, ModelSpec& spec) {
  set_windows(keys, spec, [](int) { return true; });
}

void refine_gemma(const GgufKeys&, ModelSpec& spec) {
  spec.embedding_scale = std::sqrt(static_cast<float>(spec.hidden));
}

/// Gemma's largest models scale by the hidden width over the heads; the files do not say so.
void set_gemma_scale(ModelSpec& spec, std::size_t layers_of_the_largest) {
  if (spec.layers.size() != layers_of_the_largest) return;
  for (LayerSpec& layer : spec.layers) {
    const float width = static_cast<float>(spec.hidden) / static_cast<float>(layer.attention.heads);
    layer.attention.scale = 1 / std::sqrt(width);
  }
}

void refine_gemma2(const GgufKeys& keys, ModelSpec& spec) {
  refine_gemma(keys, spec);
  set_gemma_scale(spec, 46);
  spec.logit_softcap = static_cast<float>(keys.real("final_logit_softcapping", 30));
  const auto softcap = static_cast<float>(keys.real("attn_logit_softcapping", 50));
  for (LayerSpec& layer : spec.layers) layer.attention.softcap = softcap;
  set_windows(keys, spec, [](int layer) { return layer % 2 == 0; });
}

void refine_gemma3(const GgufKeys& keys, ModelSpec& spec) {
  refine_gemma(keys, spec);
  set_gemma_scale(spec, 62);
  spec.logit_softcap = static_cast<float>(keys.real("final_logit_softcapping", 0));
  const int pattern = keys.count("attention.sliding_window_pattern", 6);
  set_windows(keys, spec, [&](int layer) { return pattern > 0 && (layer + 1) % pattern != 0; });
  for (LayerSpec& layer : spec.layers) {
    if (!layer.attention.window) continue;
    layer.attention.rope->theta = keys.real("rope.freq_base_swa", 10000);  // Gemma 3 report, §2
    layer.attention.rope->scaling = {};
  }
}

void refine_granite(const GgufKeys& keys, ModelSpec& spec) {
  spec.embedding_scale = static_cast<float>(keys.real("embedding_scale", 1));
  spec.residual_scale = static_cast<float>(keys.real("residual_scale", 1));
  spec.logit_scale = static_cast<float>(1 / keys.real("logit_scale", 1));  // stored as the divisor
  const auto scale = static_cast<float>(keys.real("attention.scale", 0));
  if (scale == 0) return;
  for (LayerSpec& layer : spec.layers) layer.attention.scale = scale;
}

void refine_cohere(const GgufKeys& keys, ModelSpec& spec) {
  spec.logit_scale = static_cast<float>(keys.real("logit_scale", 1));
}

void refine_cohere2(const GgufKeys& keys, ModelSpec& spec) {
  refine_cohere(keys, spec);
  const int pattern = keys.count("attention.sliding_window_pattern", 4);
  set_windows(keys, spec, [&](int layer) { return pattern > 0 && (layer + 1) % pattern != 0; });
  for (LayerSpec& layer : spec.layers) {
    if (!layer.attention.window) layer.attention.rope.reset();
  }
}

void refine_smollm3(const GgufKeys&, ModelSpec& spec) {
  for (std::size_t layer = 0; layer < spec.layers.size(); ++layer) {
    if ((layer + 1) % 4 == 0) spec.layers[layer].attention.rope.reset();
  }
}

constexpr auto kNeighbours = RopeSpec::Pairing::neighbours;

const std::vector<GgufFamily>& families() {
  static const std::vector<GgufFamily> all = {
      {.name = "llama",
       .pairing = kNeighbours,
       .honours = {"expert_count", "attention.sliding_window"},
       .refine = refine_with_window},
      {.name = "qwen2"},
      {.name = "qwen2moe", .renormalises_experts = false, .honours = {"expert_count"}},
      {.name = "qwen3"},
      {.name = "qwen3moe", .honours = {"expert_count"}},
      {.name = "gemma", .activation = Activation::gelu_tanh, .refine = refine_gemma},
      {.name = "gemma2",
       .activation = Activation::gelu_tanh,
       .post_norms = true,
       .honours = {"attention.sliding_window", "attn_logit_softcapping", "final_logit_softcapping"},
       .refine = refine_gemma2},
      {.name = "gemma3",
       .activation = Activation::gelu_tanh,
       .post_norms = true,
       .honours = {"attention.sliding_window", "final_logit_softcapping"},
       .refine = refine_gemma3},
      {.name = "phi3",
       .gate_in_up = true,
       .honours = {"attention.sliding_window"},
       .refine = refine_with_window},
      {.name = "granite",
       .pairing = kNeighbours,
       .honours = {"attention.scale", "logit_scale", "embedding_scale", "residual_scale"},
       .refine = refine_granite},
      {.name = "command-r",
       .norm = NormSpec::Kind::layer,
       .pairing = kNeighbours,
       .parallel = true,
       .honours = {"logit_scale"},
       .refine = refine_cohere},
      {.name = "cohere2",
       .norm = NormSpec::Kind::layer,
       .pairing = kNeighbours,
       .parallel = true,
       .honours = {"logit_scale", "attention.sliding_window"},
       .refine = refine_cohere2},
      {.name = "smollm3", .pairing = kNeighbours, .refine = refine_smollm3},
  };
  return all;
}

}  // namespace

const GgufFamily* find_gguf_family(std::string_view architecture) {
  const auto found = std::find_if(families().begin(), families().end(),
                                  [&](const GgufFamily& one) { return one.name == architecture; });
  return found == families().end() ? nullptr : &*found;
}

std::vector<std::string_view> gguf_architectures() {
  std::vector<std::string_view> names;
  for (const GgufFamily& family : families()) names.push_back(family.name);
  return names;
}

TensorNames gguf_tensor_names(const GgufFamily& family) {
  TensorNames names = {
      .embedding = "token_embd.weight",
      .output_norm = "output_norm.weight",
      .output = "output.weight",
      .layer_prefix = "blk.",
      .attention_norm = "attn_norm.weight",
      .q = "attn_q",
      .k = "attn_k",
      .v = "attn_v",
      .o = "attn_output",
      .qkv = "attn_qkv",
      .q_norm = "attn_q_norm.weight",
      .k_norm = "attn_k_norm.weight",
      .post_attention_norm = "post_attention_norm.weight",
      .mlp_norm = "ffn_norm.weight",
      .post_mlp_norm = "post_ffw_norm.weight",
      .gate = "ffn_gate",
      .up = "ffn_up",
      .down = "ffn_down",
      .router = "ffn_gate_inp.weight",
      .gate_experts = "ffn_gate_exps.weight",
      .up_experts = "ffn_up_exps.weight",
      .down_experts = "ffn_down_exps.weight",
      .shared_gate = "ffn_gate_shexp",
      .shared_up = "ffn_up_shexp",
      .shared_down = "ffn_down_shexp",
      .shared_router = "ffn_gate_inp_shexp.weight",
  };
  if (family.gate_in_up) names.gate_up = names.up;
  return names;
}

}  // namespace pitwall
