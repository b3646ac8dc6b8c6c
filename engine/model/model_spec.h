// SPDX-License-Identifier: GPL-3.0-or-later
// ModelSpec: a model described, not coded. Layers are listed one by one; forward and calculator read the same
// words.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/rope_spec.h"

namespace pitwall {

struct NormSpec {
  enum class Kind {
    rms,    ///< x·w / sqrt(mean(x²) + ε)
    layer,  ///< (x − mean)·w / sqrt(variance + ε)
  };
  Kind kind = Kind::rms;
  float epsilon = 1e-5f;
  float weight_offset = 0;  ///< added to the stored weights: 1 in Gemma's hub checkpoints
};

/// The norm over each head of q and k, before rope.
enum class QkNorm {
  none,
  shared,    ///< all heads have the same weights
  per_head,  ///< each head has its own
};

struct AttentionSpec {
  int heads = 0, kv_heads = 0, head_dim = 0;
  std::optional<RopeSpec> rope;  ///< none = positions enter through the causal order alone
  float scale = 0;               ///< applied to q·k; 1/sqrt(head_dim) unless the model says otherwise
  float softcap = 0;             ///< c > 0: scores become c·tanh(score/c), after scale
  std::optional<int> window;     ///< sliding window in tokens, the newest included; none = full attention
  bool qkv_bias = false, output_bias = false;
  QkNorm qk_norm = QkNorm::none;
};

enum class Activation { silu, gelu_tanh };

/// A mixture of experts: softmax over the router's logits, the top_k largest, their gated MLPs weighted.
struct MoeSpec {
  int experts = 0, top_k = 0;
  int intermediate = 0;         ///< of one expert
  bool renormalise = false;     ///< the chosen weights are divided by their sum
  int shared_intermediate = 0;  ///< of an expert that every token visits; 0 = none
  bool shared_gate = false;     ///< … weighted by sigmoid(w·x)
};

/// Gated: down(act(gate·x) ⊙ up·x).
struct MlpSpec {
  int intermediate = 0;  ///< 0 where `moe` stands in its place
  Activation activation = Activation::silu;
  bool bias = false;
  std::optional<MoeSpec> moe;
};

/// hidden += s·attention(norm(hidden)); hidden += s·mlp(norm(hidden)), s = ModelSpec::residual_scale.
struct LayerSpec {
  AttentionSpec attention;
  MlpSpec mlp;
  bool post_norms = false;  ///< the results of attention and MLP are normed before they are added (Gemma 2)
  bool parallel = false;    ///< attention and MLP both read the same norm of the layer's input (Command-R)
};

struct ModelSpec {
  std::string architecture;  ///< "llama"
  std::string name;          ///< for people: general.name or the file's stem
  int hidden = 0;
  int vocabulary = 0;      ///< rows of the embedding
  int context_length = 0;  ///< trained positions
  NormSpec norm;           ///< of every norm in the model
  float embedding_scale = 1, residual_scale = 1, logit_scale = 1;
  float logit_softcap = 0;       ///< c > 0: logits become c·tanh(logit/c), after logit_scale
  bool tied_embeddings = false;  ///< output weights are the embedding
  /// config.json says bfloat16, or the weights are quantised: the values that such checkpoints are compared
  /// with come from modules cast to bfloat16.
  bool bfloat16_reference = false;
  std::vector<LayerSpec> layers;

  /// Bytes that one token adds to the KV cache over all layers: Σ 2·kv_heads·head_dim·element_bytes.
  Bytes kv_bytes_per_token(int element_bytes) const;

  /// Sequences of more tokens need KV computed anew, with other rotary frequencies; 0 = none do. `positions`:
  /// the longest sequence served.
  int rope_switch(int positions) const;

  /// The geometry that every forward relies on: positive sizes, heads that share KV heads evenly, an even
  /// rotary dimension within the head. An opened Model has passed it.
  Result<void> check() const;
};

}  // namespace pitwall
