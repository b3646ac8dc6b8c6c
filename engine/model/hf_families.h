// SPDX-License-Identifier: GPL-3.0-or-later
// The architectures of hub checkpoints: what each assumes where config.json is silent, what differs from
// layer to layer, and how its tensors are named. A new architecture is a row here.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "engine/model/hf_keys.h"
#include "engine/model/model_spec.h"
#include "engine/model/weight_binding.h"

namespace pitwall {

struct HfFamily {
  std::string_view architecture;  ///< in config.json: "LlamaForCausalLM"
  std::string_view name;          ///< ModelSpec::architecture: "llama"
  TensorNames names;

  // Defaults of transformers' configuration classes.
  int context = 2048;
  double theta = 10000, epsilon = 1e-6;
  bool tied = false;
  int head_dim = 0;                             ///< 0 = hidden / heads
  int vocabulary = 0, heads = 0, kv_heads = 0;  ///< 0 = the file must say; kv_heads: as many as heads

  NormSpec::Kind norm = NormSpec::Kind::rms;
  float norm_offset = 0;
  RopeSpec::Pairing pairing = RopeSpec::Pairing::halves;
  enum class Bias {
    never,
    qkv,               ///< q, k and v always have one
    attention_bias,    ///< q, k, v and the output, as the key `attention_bias` says
    qkv_as_configured  ///< q, k and v, as the key `qkv_bias` says, else they do
  };
  Bias bias = Bias::never;
  bool mlp_bias = false;  ///< as the key `mlp_bias` says
  QkNorm qk_norm = QkNorm::none;
  bool post_norms = false, parallel = false;
  std::string_view activation = "silu";  ///< where config.json names none
  bool activation_by_hidden_act = true;  ///< else by `hidden_activation` alone
  bool partial_rotary = false;           ///< `partial_rotary_factor` counts for unscaled rope too
  bool rope_yarn_is_longrope = false;
  int rope_original_context = 0;

  /// What else the configuration says; the layers stand already, all alike.
  void (*refine)(const HfKeys& keys, ModelSpec& spec) = nullptr;
};

const HfFamily* find_hf_family(std::string_view architecture);  ///< nullptr when unknown
std::vector<std::string_view> hf_architectures();               ///< all that are known

}  // namespace pitwall
