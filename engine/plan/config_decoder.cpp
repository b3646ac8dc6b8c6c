// SPDX-License-Identifier: GPL-3.0-or-later
// Decoders whose keys say what each layer is: grouped-query, latent, windowed, chunked and linear attention,
// shared KV, experts, multi-token prediction.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/plan/amounts.h"
#include "engine/plan/config_family.h"
#include "engine/plan/kv_format.h"

namespace pitwall {

using nlohmann::json;

namespace {

constexpr std::string_view kSparseLatent = "GlmMoeDsaForCausalLM";
constexpr int kUsualIndex = 128;  // index_head_dim of DeepSeek-V3.2 and GLM-5's own file

using Kind = LayerState::Kind;
using Windows = DecoderTraits::Windows;

int layer_count(const ConfigReader& reader) {
  // LongCat-Flash: newer files state its attentions as num_hidden_layers.
  return reader.family.traits.twin
             ? reader.layers({"num_layers"})
             : reader.layers({"num_hidden_layers", "n_layer", "num_layers", "n_layers"});
}

struct Attention {
  AttentionShape sliding, full;  ///< the same but in Gemma 4
};

Attention attention_of(const ConfigReader& reader) {
  const DecoderTraits& traits = reader.family.traits;
  Attention result;
  AttentionShape& shape = result.full;
  shape.hidden = reader.out.hidden;
  shape.heads = reader.size({"num_attention_heads", "n_head", "n_heads"});
  int head_dim = reader.size({"head_dim", "attention_head_dim", "kv_channels"}, traits.head_dim);
  if (head_dim == 0) {
    if (shape.hidden % shape.heads != 0 && !reader.has({"kv_lora_rank"}))
      reader.keys.wrong("num_attention_heads", "a divisor of the hidden width");
    head_dim = static_cast<int>(shape.hidden / shape.heads);
  }
  shape.key_dim = head_dim;
  shape.value_dim = reader.size({"v_head_dim"}, head_dim);
  reader.out.heads = static_cast<int>(shape.heads);
  reader.out.head_dim = head_dim;
  result.sliding = shape;
  if (!reader.has({"per_layer_config"}) && (reader.has({"global_head_dim"}) || traits.full_head_dim > 0))
    result.full.key_dim = result.full.value_dim = reader.size({"global_head_dim"}, traits.full_head_dim);
  return result;
}

/// KV heads of each layer; where nothing is said, as its class has them.
std::vector<int> kv_heads_of(const ConfigReader& reader, int layers) {
  const HfKeys& keys = reader.keys;
  // Falcon's files state num_kv_heads also where its older layers, which have one, do not read it.
  const bool one = keys.flag("multi_query", reader.family.traits.multi_query) &&
                   !keys.flag("new_decoder_architecture", false);
  if (one && !reader.has({"num_key_value_heads", "n_head_kv"}))
    return std::vector<int>(static_cast<std::size_t>(layers), 1);
  if (keys.flag("multi_query_attention", false))
    return reader.per_layer({"multi_query_group_num"}, layers, 1);
  const ConfigReader::Names names = {"num_key_value_heads", "n_head_kv", "num_kv_heads",
                                     "num_attention_groups"};
  return reader.per_layer(names, layers, reader.has(names) ? 0 : reader.unstated_kv_heads());
}

/// Multi-head latent attention (DeepSeek-V2): one row a token, whatever num_key_value_heads says.
void add_latent_layer(const ConfigReader& reader, bool own_index, LayerState& state,
                      LayerWeightCounts& counts) {
  const std::int64_t hidden = reader.out.hidden, heads = reader.out.heads;
  const int stated = reader.family.traits.head_dim;
  const std::int64_t rank = reader.size({"kv_lora_rank"}), rope = reader.size({"qk_rope_head_dim"}),
                     nope = reader.size({"qk_nope_head_dim"}, 128),
                     value = reader.size({"v_head_dim"}, stated > 0 ? stated : 128),
                     query_rank = reader.count({"q_lora_rank"}, 0);
  state.kind = Kind::latent;
  state.latent_dim = static_cast<int>(rank);
  state.latent_rope_dim = static_cast<int>(rope);
  const std::int64_t query = capped_product(heads, nope + rope);
  counts.attention =
      capped_sum(capped_product(query_rank > 0 ? query_rank : hidden, query),
                 capped_sum(capped_product(rank, heads, nope + value), capped_product(heads, value, hidden)));
  counts.replicated = capped_product(hidden, rank + rope) + rank + 2 * hidden;
  if (query_rank > 0) counts.replicated += capped_product(hidden, query_rank) + query_rank;
  if (reader.family.traits.qkv_bias) counts.replicated += query_rank + rank + rope;
  if (reader.family.traits.out_bias) counts.replicated += hidden;
  if (reader.family.traits.head_gates)
    counts.attention = capped_sum(counts.attention, capped_product(hidden, heads));
  if (!own_index) return;
  const std::int64_t index = reader.size({"index_head_dim"}),
                     index_heads = reader.size({"index_n_heads"}, 64);
  state.index_dim = static_cast<int>(index);
  counts.replicated += capped_product(std::max<std::int64_t>(query_rank, 1), index_heads, index) +
                       capped_product(hidden, index + index_heads) + 2 * index;
}

/// Gated delta net (Qwen3-Next): a matrix for each value head, and the newest inputs of its convolution.
void add_linear_layer(const ConfigReader& reader, LayerState& state, LayerWeightCounts& counts) {
  const std::int64_t hidden = reader.out.hidden;
  const std::int64_t keys = reader.size({"linear_num_key_heads"}),
                     values = reader.size({"linear_num_value_heads"}),
                     key_dim = reader.size({"linear_key_head_dim"}),
                     value_dim = reader.size({"linear_value_head_dim"}),
                     kernel = reader.size({"linear_conv_kernel_dim"}, 4);
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

/// Kimi delta attention: a matrix for each head, a decay for each of its rows, gates of low rank.
void add_delta_layer(const ConfigReader& reader, int heads, int head_dim, int kernel, LayerState& state,
                     LayerWeightCounts& counts) {
  const std::int64_t hidden = reader.out.hidden, width = capped_product(heads, head_dim);
  state = {};
  state.kind = Kind::recurrent;
  state.recurrent_numbers = capped_product(width, head_dim);
  state.convolution_numbers = capped_product(3, width, std::max<std::int64_t>(kernel - 1, 0));
  const std::int64_t gate = reader.family.traits.full_gates ? capped_product(hidden, width)
                                                            : capped_product(head_dim, hidden + width);
  counts = {};
  counts.attention = capped_sum(capped_product(4, hidden, width) + capped_product(3, width, kernel),
                                capped_product(2, gate) + capped_product(hidden, heads) + width + heads);
  counts.replicated = 2 * hidden + head_dim;
}

/// What `layer_types` says of a layer, else the older keys.
std::vector<std::string> layer_types(const ConfigReader& reader, int layers) {
  const HfKeys& keys = reader.keys;
  for (const char* key : {"layer_types", "layers_block_type"}) {
    std::vector<std::string> types = keys.texts(key, static_cast<std::size_t>(layers));
    if (!types.empty()) return types;
  }
  for (const char* key : {"hybrid_override_pattern", "attn_layer_period", "attn_layer_indices"}) {
    if (!reader.has({key})) continue;
    keys.unsupported(
        fmt::format("Cannot estimate: the key `{}` changes what is cached, and architecture `{}` is "
                    "not known to have it",
                    key, reader.family.architecture),
        key);
  }
  const auto every = [&](int n, const char* others) {
    std::vector<std::string> types(static_cast<std::size_t>(layers), "full_attention");
    for (int i = 0; i < layers; ++i) {
      if (n <= 0 || (i + 1) % n != 0) types[static_cast<std::size_t>(i)] = others;
    }
    return types;
  };
  if (reader.has({"full_attn_idxs"})) {
    std::vector<std::string> types = every(0, "conv");
    for (const int at : keys.counts("full_attn_idxs")) {
      if (at >= layers) {
        keys.wrong("full_attn_idxs", "layers that exist");
        break;
      }
      types[static_cast<std::size_t>(at)] = "full_attention";
    }
    return types;
  }
  if (const json* linear = keys.object("linear_attn_config")) {  // Kimi Linear: layers count from 1
    std::vector<std::string> types = every(0, "linear_attention");
    for (const int at : HfKeys(*linear, keys.errors()).counts("full_attn_layers")) {
      if (at < 1 || at > layers) {
        keys.wrong("linear_attn_config", "layers that exist");
        break;
      }
      types[static_cast<std::size_t>(at) - 1] = "full_attention";
    }
    return types;
  }
  if (reader.has({"attn_type_list"})) {
    std::vector<std::string> types;
    for (const int one : reader.per_layer({"attn_type_list"}, layers, 1))
      types.emplace_back(one == 1 ? "full_attention" : "lightning_attention");
    return types;
  }
  if (reader.has({"full_attention_interval"}))
    return every(reader.size({"full_attention_interval"}), "linear_attention");
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
  const json* letters = keys.find("sliding_window_pattern");
  if (letters != nullptr && letters->is_string()) {  // EXAONE 4: "LLLG"
    const std::string pattern = letters->get<std::string>();
    if (pattern.empty() || pattern.find_first_not_of("LG") != std::string::npos) {
      keys.wrong("sliding_window_pattern", "a count, or letters L and G");
      return every(1, "");
    }
    std::vector<std::string> types;
    for (int i = 0; i < layers; ++i) {
      const char letter = pattern[static_cast<std::size_t>(i) % pattern.size()];
      types.emplace_back(letter == 'G' ? "full_attention" : "sliding_attention");
    }
    return types;
  }
  const int pattern = reader.size({"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"},
                                  traits.window_pattern);
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
  Mlps(const ConfigReader& reader, int layers) : reader_(reader), hidden_(reader.out.hidden) {
    experts_ = reader.count({"n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"}, 0);
    const bool expert_width =
        reader.has({"moe_intermediate_size", "expert_ffn_hidden_size", "moe_intermediate_dim"});
    const ConfigReader::Names widths = {"intermediate_size", "intermediate_size_mlp", "n_inner",
                                        "ffn_dim",           "ffn_hidden_size",       "mlp_hidden_size",
                                        "block_ff_dim"};
    for (const char* key : widths) {
      if (reader.has({key})) dense_key_ = key;
    }
    // Two matrices are four times as wide as the model where nothing is said; of three nothing is customary.
    const bool said = reader.has(widths) || (experts_ > 0 && expert_width);
    dense_ = reader.has({"intermediate_size_mlp"}) ? reader.size({"intermediate_size_mlp"})
             : said || !reader.family.traits.gated
                 ? reader.count(widths, static_cast<int>(std::min<std::int64_t>(4 * hidden_, 1 << 30)))
                 : reader.count(widths);
    if (reader.keys.flag("block_auto_adjust_ff_dim", reader.family.architecture == "Lfm2ForCausalLM"))
      dense_ = rounded_up(capped_product(2, dense_) / 3, reader.size({"block_multiple_of"}, 256));
    if (experts_ > 0) {
      reader.out.top_k = reader.size(
          {"num_experts_per_tok", "moe_topk", "top_k_experts", "moe_k", "num_experts_per_token"}, 1);
      expert_ = expert_width
                    ? reader.size({"moe_intermediate_size", "expert_ffn_hidden_size", "moe_intermediate_dim"})
                    : reader.size({"intermediate_size", "ffn_hidden_size"}, static_cast<int>(dense_));
    }
    shared_ = reader.count({"shared_expert_intermediate_size", "shared_intermediate_size",
                            "moe_shared_expert_intermediate_size"},
                           0);
    if (shared_ == 0 && experts_ > 0)
      shared_ = capped_product(expert_, reader.count({"n_shared_experts", "num_shared_experts",
                                                      "num_shared_expert", "moe_num_shared_experts"},
                                                     0));
    zero_experts_ = reader.count({"zero_expert_num"}, 0);  // LongCat-Flash: routed to, without weights
    first_dense_ = reader.count({"first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"}, 0);
    step_ = reader.size(
        {"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layer_freq"}, 1);
    if (reader.has({"interleave_moe_layer_step"}) && experts_ > 0)
      shared_ = expert_;  // Llama 4 always has one
    sparse_ = reader.keys.counts("moe_layers");
    only_dense_ = reader.keys.counts("mlp_only_layers");
    kinds_ = reader.keys.texts("mlp_layer_types", static_cast<std::size_t>(layers));
    const bool learns = reader.family.architecture.starts_with("Apertus");
    if (reader.keys.text("hidden_act", learns ? "xielu" : "") == "xielu") learned_activation_ = 2;
    reader.out.intermediate = static_cast<int>(std::min<std::int64_t>(dense_, 1 << 30));
    reader.out.expert_intermediate = static_cast<int>(std::min<std::int64_t>(expert_, 1 << 30));
    reader.out.experts = static_cast<int>(experts_);
  }

  std::int64_t dense() const {
    const DecoderTraits& traits = reader_.family.traits;
    return mlp_counts(hidden_, dense_, traits.gated, traits.mlp_bias);
  }

  void add(int layer, LayerWeightCounts& counts) const {
    const DecoderTraits& traits = reader_.family.traits;
    const bool listed = std::find(only_dense_.begin(), only_dense_.end(), layer) != only_dense_.end();
    const auto at = static_cast<std::size_t>(layer);
    const bool sparse =
        experts_ > 0 &&
        (at < kinds_.size() ? kinds_[at] == "sparse"
         : !sparse_.empty() ? std::find(sparse_.begin(), sparse_.end(), layer) != sparse_.end()
                            : layer >= first_dense_ && (layer + 1) % step_ == 0 && !listed);
    if (!sparse) {
      if (dense_ < 1) reader_.keys.wrong(dense_key_, "a width above 0");
      counts.mlp = dense() + (traits.inner_norms ? dense_ : 0);
      counts.replicated += learned_activation_;
      return;
    }
    counts.experts = capped_product(experts_, mlp_counts(hidden_, expert_, traits.gated, traits.expert_bias));
    counts.mlp += shared_ > 0 ? mlp_counts(hidden_, shared_, traits.gated, traits.mlp_bias) : 0;
    // Gemma 4 has its dense MLP beside the experts, norms of both, and scales of the router.
    if (reader_.keys.flag("enable_moe_block", false)) {
      counts.mlp += dense();
      counts.replicated += 4 * hidden_ + experts_;
    }
    counts.replicated = capped_sum(counts.replicated, capped_product(hidden_, experts_ + zero_experts_));
    if (traits.expert_bias || traits.correction_bias) counts.replicated += experts_;
    if (traits.sparse_norm) counts.replicated += hidden_;
    if (reader_.has({"shared_expert_intermediate_size"}) && shared_ > 0 && traits.shared_gate)
      counts.replicated += hidden_;
  }

 private:
  const ConfigReader& reader_;
  std::int64_t hidden_, experts_ = 0, dense_ = 0, expert_ = 0, shared_ = 0, zero_experts_ = 0;
  int learned_activation_ = 0;
  std::string_view dense_key_ = "intermediate_size";
  int first_dense_ = 0, step_ = 1;
  std::vector<int> sparse_, only_dense_;  ///< layers that the file lists
  std::vector<std::string> kinds_;        ///< "dense" and "sparse", where the file says it of each layer
};

class Decoder {
 public:
  explicit Decoder(const ConfigReader& reader)
      : reader_(reader),
        attention_(attention_of(reader)),
        layers_(layer_count(reader)),
        mlps_(reader, layers_) {}

  void read() {
    const int layers = layers_;
    if (reader_.out.architecture == kSparseLatent && !reader_.has({"index_head_dim"})) {
      reader_.out.remarks.push_back(
          fmt::format("The file states no indexer: engines that attend sparsely keep {} B of index keys a "
                      "token and layer beside",
                      index_key_bytes(kUsualIndex)));
    }
    if (reader_.keys.errors().error()) return;
    const std::vector<std::string> types = layer_types(reader_, layers);
    const std::vector<int> kv_heads = kv_heads_of(reader_, layers);
    heads_ = reader_.per_layer({"num_attention_heads_per_layer"}, layers, reader_.out.heads);
    const std::vector<std::string> indexers =
        reader_.keys.texts("indexer_types", static_cast<std::size_t>(layers));
    const int shared = reader_.count({"num_kv_shared_layers"}, 0);
    if (shared >= layers) reader_.keys.wrong("num_kv_shared_layers", "fewer than there are layers");
    const int sharers = reader_.keys.flag("use_cla", false) ? reader_.size({"cla_share_factor"}, 1) : 1;
    for (int i = 0; i < layers && !reader_.keys.errors().error(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool own_index =
          reader_.has({"index_head_dim"}) && (at >= indexers.size() || indexers[at] != "shared");
      add(i, types[at], kv_heads[at], own_index);
      if (i >= layers - shared && reader_.out.layers.back().kind != Kind::recurrent) share();
      if (i % sharers != 0) {  // Hunyuan-Large: K and V of the layer before
        reader_.out.layers.back().kind = Kind::none;
        reader_.out.layer_parameters.back().kv = 0;
      }
    }
    add_inputs_per_layer(layers);
    add_draft_layers();
  }

 private:
  /// The last layer takes K and V of one before. Files of Gemma 3n hold its weights for them all the same.
  void share() {
    LayerState& state = reader_.out.layers.back();
    LayerWeightCounts& counts = reader_.out.layer_parameters.back();
    if (reader_.family.traits.shared_without_weights) {
      counts.kv = 0;
      counts.replicated -= state.key_dim;  // the norm of its keys
    }
    if (reader_.keys.flag("use_double_wide_mlp", false)) counts.mlp += mlps_.dense();
    state.kind = Kind::none;
  }

  void add(int layer, const std::string& type, int kv_heads, bool own_index) {
    LayerState state;
    LayerWeightCounts counts;
    const bool linear = type == "linear_attention", mamba = reader_.has({"mamba_d_state"});
    if (type == "lightning_attention" || (linear && reader_.family.architecture.starts_with("MiniMax"))) {
      add_lightning(state, counts);
    } else if (linear && reader_.has({"linear_num_heads", "linear_attn_config"})) {
      add_delta(state, counts);
    } else if (linear && !mamba) {
      add_linear_layer(reader_, state, counts);
    } else if (type == "mamba" || linear) {
      state = mamba_state(reader_, reader_.out.hidden);
      counts.attention = mamba_parameters(reader_, reader_.out.hidden);
      counts.replicated = 2 * std::int64_t{reader_.out.hidden};
    } else if (type == "conv") {
      add_convolution(state, counts);
    } else if (reader_.has({"kv_lora_rank"}) && is_latent(type)) {
      add_latent_layer(reader_, own_index, state, counts);
    } else {
      add_attention(layer, type, kv_heads, state, counts);
    }
    mlps_.add(layer, counts);
    if (reader_.family.traits.twin) {  // weights count with the first
      counts.attention = capped_product(2, counts.attention);
      counts.replicated = capped_product(2, counts.replicated);
      counts.mlp = capped_sum(counts.mlp, capped_product(2, mlps_.dense()));
    }
    add_layer(reader_.out, state, counts);
    if (reader_.family.traits.twin) add_layer(reader_.out, state, {});
  }

  static bool is_latent(std::string_view type) {
    return type == "full_attention" || type == "attention" || type == "deepseek_sparse_attention" ||
           type == "indexed_attention";
  }

  void add_attention(int layer, const std::string& type, int kv_heads, LayerState& state,
                     LayerWeightCounts& counts) {
    const bool full = type == "full_attention" || type == "attention", latent = reader_.has({"kv_lora_rank"});
    const bool sliding = type == "sliding_attention", chunked = type == "chunked_attention";
    if (latent || (!full && !sliding && !chunked)) {
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
    DecoderTraits traits = reader_.family.traits;
    shape.heads = heads_[static_cast<std::size_t>(layer)];
    const bool keys_are_values = full && reader_.keys.flag("attention_k_eq_v", false);
    shape.kv_heads = kv_heads;
    if (full && reader_.keys.flag("attention_k_eq_v", true))
      shape.kv_heads = reader_.size({"num_global_key_value_heads"}, kv_heads);
    override_shape(layer, shape);
    if (traits.window_doubles_heads) {
      traits.sinks = sliding;
      if (sliding) shape.kv_heads = reader_.size({"swa_num_key_value_heads"}, 2 * kv_heads);
    }
    state = attention_state(shape);
    counts = attention_counts(shape, traits);
    if (keys_are_values) counts.kv /= 2;  // one projection for both
    if (full) return;
    state.kind = sliding ? Kind::sliding : Kind::chunked;
    state.window = sliding ? reader_.size({"sliding_window"}) : reader_.size({"attention_chunk_size"});
  }

  /// Gemma 4 as transformers 5 writes it: what differs in a layer, under the layer's number.
  void override_shape(int layer, AttentionShape& shape) const {
    const json* layers = reader_.keys.object("per_layer_config");
    if (layers == nullptr) return;
    for (const auto& [number, differences] : layers->items()) {
      int at = -1;
      const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), at);
      if (code != std::errc{} || end != number.data() + number.size() || at < 0 || at >= layers_ ||
          !differences.is_object())
        return reader_.keys.wrong("per_layer_config",
                                  "an object under the number of each layer that differs");
      if (at != layer) continue;
      const HfKeys keys(differences, reader_.keys.errors());
      for (const auto& [key, value] : differences.items()) {
        if (key != "head_dim" && key != "num_key_value_heads")
          keys.unsupported(fmt::format("Cannot estimate: `per_layer_config` changes {} of layer {}",
                                       quote_for_message(key), layer),
                           "per_layer_config");
      }
      shape.key_dim = shape.value_dim = keys.size("head_dim", static_cast<int>(shape.key_dim));
      shape.kv_heads = keys.size("num_key_value_heads", static_cast<int>(shape.kv_heads));
    }
  }

  void add_delta(LayerState& state, LayerWeightCounts& counts) const {
    if (const json* nested = reader_.keys.object("linear_attn_config")) {
      const HfKeys keys(*nested, reader_.keys.errors());
      add_delta_layer(reader_, keys.size("num_heads"), keys.size("head_dim"),
                      keys.size("short_conv_kernel_size", 4), state, counts);
    } else {
      add_delta_layer(reader_, reader_.size({"linear_num_heads"}), reader_.size({"linear_head_dim"}),
                      reader_.size({"linear_conv_kernel_dim"}, 4), state, counts);
    }
  }

  /// MiniMax-Text-01: a matrix for each head, and a gate on what it yields.
  void add_lightning(LayerState& state, LayerWeightCounts& counts) const {
    const std::int64_t hidden = reader_.out.hidden, heads = attention_.full.heads,
                       width = capped_product(heads, attention_.full.key_dim);
    state.kind = Kind::recurrent;
    state.recurrent_numbers = capped_product(width, attention_.full.key_dim);
    counts.attention = capped_product(5, hidden, width) + width;
    counts.replicated = norm_counts(hidden, reader_.family.traits);
  }

  /// Gemma 3n and 4: each token also has an embedding for each layer. Gemma 3n's layers work on several
  /// copies of the residual (AltUp) beside a low-rank one (LAuReL).
  void add_inputs_per_layer(int layers) const {
    ModelOutline& out = reader_.out;
    const std::int64_t hidden = out.hidden, input = reader_.count({"hidden_size_per_layer_input"}, 0),
                       copies = reader_.count({"altup_num_inputs"}, 0),
                       rank = reader_.count({"laurel_rank"}, 0);
    if (input == 0 || reader_.keys.errors().error()) return;
    const std::int64_t words = reader_.size({"vocab_size_per_layer_input"}, out.vocabulary),
                       width = capped_product(input, std::int64_t{layers});
    out.other_parameters = capped_sum(
        out.other_parameters, capped_product(words + hidden, width) + input +
                                  (copies > 1 ? capped_product(2 * (copies - 1), hidden, hidden) : 0));
    for (LayerWeightCounts& counts : out.layer_parameters) {
      counts.mlp += capped_product(2, hidden, input + rank);
      counts.replicated += hidden;
      if (copies > 0)
        counts.replicated += capped_product(hidden, copies + 3) + capped_product(copies, copies, copies + 1);
    }
    out.remarks.push_back("Embeddings for each layer are counted whole on every rank");
  }

  /// LFM2's short convolution keeps its newest inputs.
  void add_convolution(LayerState& state, LayerWeightCounts& counts) const {
    const std::int64_t hidden = reader_.out.hidden, kernel = reader_.size({"conv_L_cache"}, 3);
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
    if (drafts > layers_)
      return reader_.keys.wrong("num_nextn_predict_layers", "no more than there are layers");
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
  int layers_;
  Mlps mlps_;
  std::vector<int> heads_;  ///< of queries, in each layer
};

}  // namespace

void read_decoder(const ConfigReader& reader) {
  read_common(reader);
  if (reader.keys.errors().error()) return;
  Decoder(reader).read();
}

}  // namespace pitwall
