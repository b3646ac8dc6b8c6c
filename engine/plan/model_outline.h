// SPDX-License-Identifier: GPL-3.0-or-later
// ModelOutline: what the planner needs of a model, layer by layer: what each keeps for a sequence, how many
// numbers its weights are. Wider than ModelSpec: it also describes models that this engine does not run.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"

namespace pitwall {

class Model;
struct ModelSpec;
struct WeightFormat;

/// What one layer keeps for each sequence. Numbers are counts, not bytes: their format is the deployment's.
struct LayerState {
  enum class Kind {
    full,       ///< K and V of every token
    sliding,    ///< K and V of the newest `window` tokens
    chunked,    ///< K and V of the current chunk of `window` tokens
    latent,     ///< one latent row a token, the same on every rank (MLA)
    recurrent,  ///< a state of fixed size, whatever the length (Mamba, linear attention)
    cross,      ///< K and V of `window` encoder tokens, whatever the length
    none        ///< nothing: reuses another layer's KV, or attends without a cache
  };
  Kind kind = Kind::full;
  int kv_heads = 0, key_dim = 0, value_dim = 0;  ///< of one head; key_dim may differ from value_dim
  int window = 0;                                ///< tokens, see Kind
  int latent_dim = 0, latent_rope_dim = 0;       ///< latent: rank, and the rotated part beside it
  int index_dim = 0;                     ///< of a sparse-attention indexer's key; 0 = no cache of its own
  std::int64_t recurrent_numbers = 0;    ///< float32, divided among ranks with their heads
  std::int64_t convolution_numbers = 0;  ///< in the model's compute format, divided likewise
  bool draft = false;                    ///< of a multi-token prediction head: there only when it is enabled
};

/// Parameters or bytes of one layer's weights, by how ranks share them.
struct LayerWeightCounts {
  std::int64_t attention = 0;   ///< q, o and what follows the query heads: divided by ranks
  std::int64_t kv = 0;          ///< k and v: divided, but never below one head a rank
  std::int64_t mlp = 0;         ///< dense and shared experts: divided
  std::int64_t experts = 0;     ///< routed ones: divided
  std::int64_t replicated = 0;  ///< norms, routers, latent down-projections: whole on every rank
  std::int64_t total() const { return attention + kv + mlp + experts + replicated; }
};

/// Weights as this engine's CPU back end holds them, repacked: known of opened checkpoints.
struct PackedWeights {
  Bytes bytes = 0;        ///< all of them
  int float_columns = 0;  ///< widest matrix whose input stays float …
  int block_columns = 0;  ///< … and whose input is quantised, columns in their stored order
  bool ordered = false;   ///< inputs of some stand in the order of their groups (act-order)
};

struct ModelOutline {
  std::string name, architecture;
  int hidden = 0, heads = 0, head_dim = 0, vocabulary = 0;
  int intermediate = 0;             ///< widest dense MLP
  int expert_intermediate = 0;      ///< of one routed expert; 0 = none, or not known
  int experts = 0, top_k = 0;       ///< 0 = dense
  std::int64_t context_length = 0;  ///< tokens the model was made for, rope scaling included; 0 = unknown
  std::vector<LayerState> layers;
  std::vector<LayerWeightCounts> layer_parameters, layer_bytes;  ///< one each for `layers`
  std::int64_t embedding_parameters = 0, output_parameters = 0;  ///< output 0 where tied
  std::int64_t other_parameters = 0;                             ///< of other_bytes
  Bytes embedding_bytes = 0, output_bytes = 0;
  Bytes other_bytes = 0;                  ///< final norm, vision and audio towers: whole on every rank
  std::string weight_format;              ///< "BF16", "AWQ 4-bit g128", "Q4_K"
  double weight_bits = 16;                ///< of a linear layer's number, scales and zeros included
  int weight_group = 0;                   ///< inputs that share a scale, which ranks cannot cut; 0 = any
  int expert_group = 0;                   ///< … of experts, to which ranks fill their parts up; 0 = any
  std::string kv_format;                  ///< that the checkpoint asks for; empty = none
  bool from_headers = false;              ///< bytes are those of the tensors; else computed from config.json
  std::shared_ptr<const ModelSpec> spec;  ///< of what this engine serves, else null
  PackedWeights packed;                   ///< bytes 0 = not known: the checkpoint is not at hand
  std::vector<std::string> remarks;       ///< what was assumed, for people

  bool runs_here() const { return spec != nullptr; }
  bool has_one_size() const;          ///< what a sequence keeps, whatever its length
  std::int64_t usual_length() const;  ///< tokens to plan for where nobody asks for some; 0 = unknown
  std::int64_t parameters() const;    ///< draft layers left out
  Bytes weight_bytes() const;         ///< draft layers left out
};

/// Sizes above 0 and none beyond what any model has; the error names the layer.
Result<void> check(const ModelOutline& outline);

/// A shape alone, its weights in 16 bits.
ModelOutline outline_of(const ModelSpec& spec);

/// Of an opened checkpoint: bytes from its headers.
ModelOutline outline_of(const Model& model);

/// Of config.json's text. Fails closed: an architecture, or a key that changes what is cached, that is not
/// understood is an Error::unsupported whose text begins with "Cannot estimate" and names it.
Result<ModelOutline> outline_of_config(std::string_view config_json, std::string name);

/// A .gguf, a folder with or without weights, a config.json, or the name of a profile or of a fetched model;
/// also a repository's whose sizes a profile has (local_model_name).
Result<ModelOutline> read_outline(std::string_view model);

/// The same model with its weights in another format, by name in weight_format.h.
Result<ModelOutline> with_weight_format(const ModelOutline& outline, std::string_view format);
ModelOutline with_weight_format(const ModelOutline& outline, const WeightFormat& format);

}  // namespace pitwall
