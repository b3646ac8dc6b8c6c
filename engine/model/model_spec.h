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

namespace pitwall {

/// Rotary embedding. Frequencies f_i = theta^(−2i/rotary_dim), i < rotary_dim/2 (Su et al. 2021).
struct RopeSpec {
  enum class Pairing {
    halves,      ///< element i pairs with i + rotary_dim/2 (HF checkpoints)
    neighbours,  ///< element 2i pairs with 2i + 1 (GGUF "llama" checkpoints, whose q/k rows are permuted)
  };
  enum class Frequencies {
    exact,
    bfloat16,  ///< each f_i rounded to bfloat16, as a PyTorch module cast with .to(bfloat16) holds them
  };
  double theta = 10000.0;
  int rotary_dim = 0;
  Pairing pairing = Pairing::halves;
  Frequencies frequencies = Frequencies::exact;
};

/// f_0 … f_(rotary_dim/2 − 1), in radians per position.
std::vector<double> rope_frequencies(const RopeSpec& rope);

struct AttentionSpec {
  int heads = 0, kv_heads = 0, head_dim = 0;
  RopeSpec rope;
  float scale = 0;            ///< applied to q·k; 1/sqrt(head_dim) unless the model says otherwise
  std::optional<int> window;  ///< sliding window in tokens; none = full attention
  bool qkv_bias = false;
};

enum class Activation { silu, gelu_tanh };

struct MlpSpec {
  int intermediate = 0;
  Activation activation = Activation::silu;  ///< gated: down(act(gate·x) ⊙ up·x)
};

struct LayerSpec {
  AttentionSpec attention;
  MlpSpec mlp;
};

struct ModelSpec {
  std::string architecture;  ///< "llama"
  std::string name;          ///< for people: general.name or the file's stem
  int hidden = 0;
  int vocabulary = 0;      ///< rows of the embedding
  int context_length = 0;  ///< trained positions
  float norm_epsilon = 1e-5f;
  bool tied_embeddings = false;  ///< output weights are the embedding
  bool says_bfloat16 = false;    ///< config.json gives it as the dtype, or linears are quantised
  std::vector<LayerSpec> layers;

  /// Bytes that one token adds to the KV cache over all layers: Σ 2·kv_heads·head_dim·element_bytes.
  Bytes kv_bytes_per_token(int element_bytes) const;

  /// The geometry that every forward relies on: positive sizes, heads that share KV heads evenly, an even
  /// rotary dimension within the head. An opened Model has passed it.
  Result<void> check() const;
};

}  // namespace pitwall
