// SPDX-License-Identifier: GPL-3.0-or-later
// Decoders whose keys say what each layer is: grouped-query, latent, windowed, chunked and linear attention,
// shared KV, experts, multi-token prediction.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/plan/amounts.h"
#include "engine/plan/config_family.h"

namespace pitwall {

namespace {

using Kind = LayerState::Kind;
using Windows = DecoderTraits::Windows;

constexpr int kMostLayers = 10'000;

int layer_count(const ConfigReader& reader) {
  const int layers = reader.count({"num_hidden_layers", "n_layer", "num_layers", "n_layers"});
  if (layers < 1 || layers > kMostLayers) {
    reader.keys.wrong("num_hidden_layers", fmt::format("1 to {} layers", kMostLayers));
    return 0;
  }
  return layers;
}

struct Attention {
  AttentionShape sliding, full;  ///< the same but in Gemma 4
};

Attention attention_of(const ConfigReader& reader) {
  const DecoderTraits& traits = reader.family.traits;
  Attention result;
  AttentionShape& shape = result.full;
  shape.hidden = reader.out.hidden;
  shape.heads = reader.count({"num_attention_heads", "n_head", "n_heads"});
  shape.kv_heads = reader.keys.has("multi_query") && reader.keys.flag("multi_query", false) &&
                           !reader.has({"num_key_value_heads", "num_kv_heads"})
                       ? 1
                       : shape.heads;
  int head_dim = reader.count({"head_dim", "attention_head_dim", "kv_channels"}, traits.head_dim);
  if (head_dim == 0 && shape.heads > 0) {
    if (shape.hidden % shape.heads != 0)
      reader.keys.wrong("num_attention_heads", "a divisor of the hidden width");
    head_dim = static_cast<int>(shape.hidden / shape.heads);
  }
  shape.key_dim = head_dim;
  shape.value_dim = reader.count({"v_head_dim"}, head_dim);
  reader.out.heads = static_cast<int>(shape.heads);
  reader.out.head_dim = head_dim;
  result.sliding = shape;
  if (reader.has({"global_head_dim"}))
    result.full.key_dim = result.full.value_dim = reader.count({"global_head_dim"});
  return result;
}

/// Multi-head latent attention (DeepSeek-V2): one row a token, whatever num_key_value_heads says.
void add_latent_layer(const ConfigReader& reader, bool own_index, LayerState& state,
                      LayerWeightCounts& counts) {
  const std::int64_t hidden = reader.out.hidden, heads = reader.out.heads;
  const std::int64_t rank = reader.count({"kv_lora_rank"}), rope = reader.count({"qk_rope_head_dim"}),
                     nope = reader.count({"qk_nope_head_dim"}, 128),
                     value = reader.count({"v_head_dim"}, 128), query_rank = reader.count({"q_lora_rank"}, 0);
  state.kind = Kind::latent;
  state.latent_dim = static_cast<int>(rank);
  state.latent_rope_dim = static_cast<int>(rope);
  const std::int64_t query = capped_product(heads, nope + rope);
  counts.attention =
      capped_sum(capped_product(query_rank > 0 ? query_rank : hidden, query),
                 capped_sum(capped_product(rank, heads, nope + value), capped_product(heads, value, hidden)));
  counts.replicated = capped_product(hidden, rank + rope) + rank + 2 * hidden;
  if (query_rank > 0) counts.replicated += capped_product(hidden, query_rank) + query_rank;
  if (!own_index) return;
  const std::int64_t index = reader.count({"index_head_dim"}),
                     index_heads = reader.count({"index_n_heads"}, 64);
  state.index_dim = static_cast<int>(index);
  counts.replicated += capped_product(std::max<std::int64_t>(query_rank, 1), index_heads, index) +
                       capped_product(hidden, index + index_heads) + 2 * index;
}

/// Gated delta net (Qwen3-Next): a matrix for each value head, and the newest inputs of its convolution.
void add_linear_layer(const ConfigReader& reader, LayerState& state, LayerWeightCounts& counts) {
  const std::int64_t hidden = reader.out.hidden;
  const std::int64_t keys = reader.count({"linear_num_key_heads"}),
                     values = reader.count({"linear_num_value_heads"}),
                     key_dim = reader.count({"linear_key_head_dim"}),
                     value_dim = reader.count({"linear_value_head_dim"}),
                     kernel = reader.count({"linear_conv_kernel_dim"}, 4);
  const std::int64_t key_width = capped_product(keys, key_dim),
                     value_width = capped_product(values, value_dim),
                     convolved = capped_sum(capped_product(2, key_width), value_width);
  state = {};
  state.kind = Kind::recurrent;
  state.recurrent_numbers = capped_product(values, key_dim, value_dim);
  state.convolution_numbers = capped_product(convolved, std::max<std::int64_t>(kernel - 1, 0));
  counts = {};
  counts.attention = capped_product(hidden, convolved + value_width + 2 * values) +
                     capped_product(convolved, kernel) + 2 * values + capped_product(value_width, hidden);
  counts.replicated = 2 * hidden + value_dim;
}

/// What `layer_types` says of a layer, else the older keys.
std::vector<std::string> layer_types(const ConfigReader& reader, int layers) {
  const HfKeys& keys = reader.keys;
  for (const char* key : {"layer_types", "layers_block_type"}) {
    std::vector<std::string> types = keys.texts(key);
    if (types.empty()) continue;
    if (std::ssize(types) != layers) keys.wrong(key, fmt::format("one for each of the {} layers", layers));
    types.resize(static_cast<std::size_t>(layers));
    return types;
  }
  const auto every = [&](int n, const char* others) {
    std::vector<std::string> types(static_cast<std::size_t>(layers), "full_attention");
    for (int i = 0; i < layers; ++i) {
      if (n <= 0 || (i + 1) % n != 0) types[static_cast<std::size_t>(i)] = others;
    }
    return types;
  };
  if (reader.has({"full_attention_interval"}))
    return every(reader.count({"full_attention_interval"}), "linear_attention");
  if (reader.has({"attention_chunk_size"})) {
    // Llama 4: layers without rotary embedding see everything.
    std::vector<std::string> types = every(4, "chunked_attention");
    const std::vector<int> rotary = keys.counts("no_rope_layers");
    for (std::size_t i = 0; i < types.size() && i < rotary.size(); ++i)
      types[i] = rotary[i] != 0 ? "chunked_attention" : "full_attention";
    return types;
  }
  const DecoderTraits& traits = reader.family.traits;
  const bool off = keys.has("use_sliding_window") && !keys.flag("use_sliding_window", true);
  if (!reader.has({"sliding_window"}) || off || traits.windows == Windows::ignored) return every(1, "");
  const int pattern =
      reader.count({"sliding_window_pattern", "_sliding_window_pattern"}, traits.window_pattern);
  if (traits.windows == Windows::pattern || pattern > 0)
    return every(std::max(pattern, 1), "sliding_attention");
  if (traits.windows == Windows::alternate) return every(2, "sliding_attention");
  std::vector<std::string> types = every(0, "sliding_attention");
  const int full = reader.count({"max_window_layers"}, 0);
  for (int i = 0; i < std::min(full, layers); ++i) types[static_cast<std::size_t>(i)] = "full_attention";
  return types;
}

/// Experts of a layer, or its dense MLP.
class Mlps {
 public:
  explicit Mlps(const ConfigReader& reader) : reader_(reader), hidden_(reader.out.hidden) {
    experts_ = reader.count({"n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"}, 0);
    top_k_ = reader.count({"num_experts_per_tok", "moe_topk", "top_k_experts", "moe_k"}, 1);
    const bool expert_width =
        reader.has({"moe_intermediate_size", "expert_ffn_hidden_size", "moe_intermediate_dim"});
    dense_ = reader.count({"intermediate_size_mlp", "intermediate_size", "n_inner", "ffn_dim",
                           "ffn_hidden_size", "mlp_hidden_size", "block_ff_dim"},
                          static_cast<int>(std::min<std::int64_t>(4 * hidden_, 1 << 30)));
    expert_ = expert_width
                  ? reader.count({"moe_intermediate_size", "expert_ffn_hidden_size", "moe_intermediate_dim"})
                  : reader.count({"intermediate_size", "ffn_hidden_size"}, static_cast<int>(dense_));
    shared_ = reader.count({"shared_expert_intermediate_size", "shared_intermediate_size",
                            "moe_shared_expert_intermediate_size"},
                           0);
    if (shared_ == 0 && experts_ > 0)
      shared_ = capped_product(expert_, reader.count({"n_shared_experts", "num_shared_experts",
                                                      "num_shared_expert", "moe_num_shared_experts"},
                                                     0));
    first_dense_ = reader.count({"first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"}, 0);
    step_ = reader.count(
        {"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layer_freq"}, 1);
    if (reader.has({"interleave_moe_layer_step"}) && experts_ > 0)
      shared_ = expert_;  // Llama 4 always has one
    only_dense_ = reader.keys.counts("mlp_only_layers");
    reader.out.intermediate = static_cast<int>(std::min<std::int64_t>(dense_, 1 << 30));
    reader.out.experts = static_cast<int>(experts_);
    reader.out.top_k = static_cast<int>(experts_ > 0 ? top_k_ : 0);
  }

  void add(int layer, LayerWeightCounts& counts) const {
    const DecoderTraits& traits = reader_.family.traits;
    const bool listed = std::find(only_dense_.begin(), only_dense_.end(), layer) != only_dense_.end();
    const bool sparse =
        experts_ > 0 && layer >= first_dense_ && step_ > 0 && (layer + 1) % step_ == 0 && !listed;
    if (!sparse) {
      counts.mlp = mlp_counts(hidden_, dense_, traits);
      return;
    }
    counts.experts = capped_product(experts_, mlp_counts(hidden_, expert_, traits));
    counts.mlp = shared_ > 0 ? mlp_counts(hidden_, shared_, traits) : 0;
    // Gemma 4 has its dense MLP beside the experts.
    if (reader_.keys.flag("enable_moe_block", false)) counts.mlp += mlp_counts(hidden_, dense_, traits);
    counts.replicated = capped_sum(counts.replicated, capped_product(hidden_, experts_));
    if (traits.bias) counts.replicated += experts_;
    if (reader_.has({"shared_expert_intermediate_size"}) && shared_ > 0)
      counts.replicated += hidden_;  // its gate
  }

 private:
  const ConfigReader& reader_;
  std::int64_t hidden_, experts_ = 0, top_k_ = 0, dense_ = 0, expert_ = 0, shared_ = 0;
  int first_dense_ = 0, step_ = 1;
  std::vector<int> only_dense_;
};

class Decoder {
 public:
  explicit Decoder(const ConfigReader& reader)
      : reader_(reader), attention_(attention_of(reader)), mlps_(reader) {}

  void read() {
    const int layers = layer_count(reader_);
    if (reader_.keys.errors().error()) return;
    const std::vector<std::string> types = layer_types(reader_, layers);
    const std::vector<int> kv_heads =
        reader_.per_layer({"num_key_value_heads", "num_kv_heads", "num_attention_groups"}, layers,
                          static_cast<int>(attention_.sliding.kv_heads));
    const std::vector<std::string> indexers = reader_.keys.texts("indexer_types");
    const int shared = reader_.count({"num_kv_shared_layers"}, 0);
    for (int i = 0; i < layers && !reader_.keys.errors().error(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool own_index =
          reader_.has({"index_head_dim"}) && (at >= indexers.size() || indexers[at] != "shared");
      add(i, types[at], kv_heads[at], own_index);
      if (i >= layers - shared && reader_.out.layers.back().kind != Kind::recurrent)
        reader_.out.layers.back().kind = Kind::none;
    }
    add_draft_layers();
  }

 private:
  void add(int layer, const std::string& type, int kv_heads, bool own_index) {
    LayerState state;
    LayerWeightCounts counts;
    if (type == "linear_attention") {
      add_linear_layer(reader_, state, counts);
    } else if (type == "mamba") {
      state = mamba_state(reader_, reader_.out.hidden);
      counts.attention = mamba_parameters(reader_, reader_.out.hidden);
      counts.replicated = 2 * std::int64_t{reader_.out.hidden};
    } else if (type == "conv") {
      add_convolution(state, counts);
    } else if (reader_.has({"kv_lora_rank"})) {
      add_latent_layer(reader_, own_index, state, counts);
    } else {
      add_attention(layer, type, kv_heads, state, counts);
    }
    mlps_.add(layer, counts);
    add_layer(reader_.out, state, counts);
  }

  void add_attention(int layer, const std::string& type, int kv_heads, LayerState& state,
                     LayerWeightCounts& counts) {
    const bool full = type == "full_attention" || type == "attention";
    const bool sliding = type == "sliding_attention", chunked = type == "chunked_attention";
    if (!full && !sliding && !chunked) {
      Error error{Error::Kind::unsupported,
                  fmt::format("Cannot estimate: layer {} is of type {}, which is unknown", layer,
                              quote_for_message(type)),
                  "What such a layer keeps for a sequence is not known, so any number would be a guess",
                  "Plan with a model whose layers are full_attention, sliding_attention, chunked_attention, "
                  "linear_attention, mamba or conv",
                  "layer_types"};
      reader_.keys.errors().keep(std::move(error));
      return;
    }
    AttentionShape shape = full ? attention_.full : attention_.sliding;
    shape.kv_heads = full ? reader_.count({"num_global_key_value_heads"}, kv_heads) : kv_heads;
    state = attention_state(shape);
    counts = attention_counts(shape, reader_.family.traits);
    if (full) return;
    state.kind = sliding ? Kind::sliding : Kind::chunked;
    state.window = sliding ? reader_.count({"sliding_window"}) : reader_.count({"attention_chunk_size"});
    if (state.window < 1)
      reader_.keys.wrong(sliding ? "sliding_window" : "attention_chunk_size", "a length above 0");
  }

  /// LFM2's short convolution keeps its newest inputs.
  void add_convolution(LayerState& state, LayerWeightCounts& counts) const {
    const std::int64_t hidden = reader_.out.hidden, kernel = reader_.count({"conv_L_cache"}, 3);
    state.kind = Kind::recurrent;
    state.convolution_numbers = capped_product(hidden, std::max<std::int64_t>(kernel - 1, 0));
    counts.attention = capped_product(hidden, 4 * hidden + kernel);
    counts.replicated = 2 * hidden;
  }

  /// Heads that predict further tokens: each has a projection of two rows, three norms, and a layer like the
  /// last.
  void add_draft_layers() {
    const int drafts =
        reader_.count({"num_nextn_predict_layers", "mtp_num_hidden_layers", "mtp_num_layers"}, 0);
    if (reader_.keys.errors().error() || drafts == 0) return;
    if (drafts > kMostLayers) return reader_.keys.wrong("num_nextn_predict_layers", "a count of layers");
    const std::int64_t hidden = reader_.out.hidden;
    const LayerState* attending = nullptr;
    std::size_t at = reader_.out.layers.size();
    while (at-- > 0 && attending == nullptr) {
      const Kind kind = reader_.out.layers[at].kind;
      if (kind == Kind::full || kind == Kind::latent) attending = &reader_.out.layers[at];
    }
    if (attending == nullptr) return;
    LayerState state = *attending;
    state.draft = true;
    LayerWeightCounts counts = reader_.out.layer_parameters.back();
    counts.replicated = capped_sum(counts.replicated, capped_product(2, hidden, hidden) + 3 * hidden);
    for (int i = 0; i < drafts; ++i) add_layer(reader_.out, state, counts);
  }

  const ConfigReader& reader_;
  Attention attention_;
  Mlps mlps_;
};

}  // namespace

void read_decoder(const ConfigReader& reader) {
  read_common(reader);
  if (reader.keys.errors().error()) return;
  Decoder(reader).read();
}

}  // namespace pitwall
