// SPDX-License-Identifier: GPL-3.0-or-later
// Architectures of hub checkpoints that this engine does not run: how config.json becomes an outline. A new
// architecture is a row in config_families.cpp.
#pragma once
#include <array>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "engine/model/hf_keys.h"
#include "engine/plan/model_outline.h"

namespace pitwall {

/// What differs between decoders. Where config.json has keys for it they win (follow_keys). Defaults: a gated
/// MLP without biases, a norm before attention and one before the MLP.
struct DecoderTraits {
  bool gated = true;                                          ///< MLP of three matrices, else two
  bool qkv_bias = false, out_bias = false, mlp_bias = false;  ///< of q, k, v; of o; of the MLP's linears
  bool key_bias = true;                                       ///< … of k as well
  bool expert_bias = false, head_bias = false;                ///< of routed experts and router; of the output
  int norms = 2;                                              ///< of a layer, each as wide as the model
  int outer_norms = 1;                                        ///< behind the layers and the embedding
  bool norm_bias = false;
  bool tied = false;         ///< where the file is silent
  int extra_positions = -1;  ///< learned positions beyond those that the file states; −1 = none are learned
  bool multi_query = false;  ///< one KV head where the file is silent
  bool twin = false;         ///< a layer is two attentions with an MLP each, and experts beside them
  bool sinks = false;
  bool qk_norm_weighs = true;  ///< norms of q and k have weights
  bool output_gate = false;    ///< q is twice as wide: its other half gates what attention yields
  enum class QkNorm {
    none,
    shared,  ///< as wide as a head
    whole    ///< as wide as all heads
  };
  QkNorm qk_norm = QkNorm::none;
  enum class Windows {
    by_key,     ///< `layer_types`, else a window holds for all layers
    ignored,    ///< attention is full whatever `sliding_window` says
    alternate,  ///< even layers
    pattern     ///< all but each n-th, n = `sliding_window_pattern` or `window_pattern`
  };
  Windows windows = Windows::by_key;
  int window_pattern = 0;
  int head_dim = 0;       ///< where the file is silent; 0 = hidden / heads
  int kv_heads = 0;       ///< … 0 = as many as query heads
  int full_head_dim = 0;  ///< … of layers with full attention, where it is not that of the others
  int context = 0;        ///< … tokens; 0 = unknown
  /// Keys without which the class is another model, "a|b" where one of them will do: missing ones are errors.
  std::array<std::string_view, 3> needs = {};
  bool may_be_dense = false;            ///< experts of 0 are none (Granite 4, Qwen3-Next)
  bool one_norm_if_parallel = false;    ///< attention and MLP side by side share a norm (StableLM)
  bool head_gates = false;              ///< each head's result passes a gate: hidden × heads
  bool gate_bias = false;               ///< … a number a head beside them
  bool full_gates = false;              ///< Kimi's delta attention with gates of full rank (Ling)
  bool shared_gate = true;              ///< where `shared_expert_intermediate_size` is stated: hidden
  bool correction_bias = false;         ///< a weight an expert beside the router
  bool sparse_norm = false;             ///< a norm behind the experts
  bool inner_norms = false;             ///< norms before the output and before the down-projection (BitNet)
  bool window_doubles_heads = false;    ///< layers with a window have twice the KV heads, and alone sinks
  bool shared_without_weights = false;  ///< layers that share K and V have no weights for them
  int head_vectors = 0;                 ///< of a head's width in each layer
  std::string_view own_key = {};        ///< changes what is cached, and no other family reads it
};

struct ConfigFamily;

/// Biases, norms of queries and keys, norms of a layer: what the file says of them.
void follow_keys(const HfKeys& keys, DecoderTraits& traits);

/// A configuration while it is read. Errors stay in `keys`.
struct ConfigReader {
  const HfKeys& keys;   ///< the language model's
  const HfKeys& outer;  ///< the whole file's; the same where nothing is nested
  const ConfigFamily& family;
  ModelOutline& out;

  using Names = std::initializer_list<const char*>;
  /// Under the first name that is there; missing is an error.
  int count(Names names) const;
  int count(Names names, int fallback) const;
  /// The same of what there has to be: 0 is an error, for it would make no model.
  int size(Names names) const;
  int size(Names names, int fallback) const;
  int layers(Names names) const;  ///< 1 to 10,000
  /// One for each of `layers`, from a number or a list of them.
  std::vector<int> per_layer(Names names, int layers, int fallback) const;
  bool has(Names names) const;
  /// Where no key says: its class's, with a remark, else as many as query heads (`out.heads`).
  int unstated_kv_heads() const;

 private:
  int number(Names names, int least) const;
};

struct ConfigFamily {
  std::string_view architecture, model_type;
  void (*read)(const ConfigReader& reader) = nullptr;
  DecoderTraits traits = {};
};

/// nullptr when unknown. A file without `architectures` is looked up by its model_type.
const ConfigFamily* find_config_family(std::string_view architecture);
const ConfigFamily* find_config_family_of_type(std::string_view model_type);
/// What known layers keep that no LayerState says; empty = nothing is known against it.
std::string_view why_not_estimated(std::string_view architecture);
/// The object that describes the language model of a checkpoint that also sees or hears; nullptr when
/// `config` does so itself.
const nlohmann::json* nested_config(const nlohmann::json& config);
/// A JSON object of sizes that such an object may leave out; empty = none.
std::string_view nested_defaults(std::string_view model_type);
/// The vision tower beside a language model, from the widths that its configuration states: config_tower.cpp.
void add_tower(const nlohmann::json& config, ModelOutline& out);

// Readers.
void read_decoder(const ConfigReader& reader);  ///< all that keys alone describe: config_decoder.cpp
void read_hybrid(const ConfigReader& reader);   ///< attention and Mamba layers: config_hybrids.cpp
void read_nemotron_h(const ConfigReader& reader);
void read_zamba2(const ConfigReader& reader);
void read_rwkv(const ConfigReader& reader);
void read_encoder_decoder(const ConfigReader& reader);  ///< T5, BART, Whisper: config_encoders.cpp
void read_mllama(const ConfigReader& reader);
void read_encoder(const ConfigReader& reader);
void read_mpt(const ConfigReader& reader);  ///< with words of their own: config_translated.cpp
void read_dbrx(const ConfigReader& reader);
void read_qwen(const ConfigReader& reader);
void read_nas(const ConfigReader& reader);

// What readers share: config_parts.cpp.
struct AttentionShape {
  std::int64_t hidden = 0, heads = 0, kv_heads = 0, key_dim = 0, value_dim = 0;
};
LayerWeightCounts attention_counts(const AttentionShape& shape, const DecoderTraits& traits);
std::int64_t norm_counts(std::int64_t hidden, const DecoderTraits& traits);
std::int64_t mlp_counts(std::int64_t hidden, std::int64_t intermediate, bool gated, bool bias);
LayerState attention_state(const AttentionShape& shape);
/// Mamba 1 or 2, by the keys that are there.
LayerState mamba_state(const ConfigReader& reader, std::int64_t hidden);
std::int64_t mamba_parameters(const ConfigReader& reader, std::int64_t hidden);
bool is_mamba_alone(const ConfigReader& reader);
void read_common(const ConfigReader& reader);  ///< width, vocabulary, embedding, output, final norm
void add_layer(ModelOutline& out, const LayerState& state, const LayerWeightCounts& parameters);

/// Tokens that the model was made for; 0 = unknown. A sentinel counts as unknown.
std::int64_t context_of(const HfKeys& keys, const HfKeys& outer);

}  // namespace pitwall
