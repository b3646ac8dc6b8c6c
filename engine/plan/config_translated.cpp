// SPDX-License-Identifier: GPL-3.0-or-later
// Decoders whose files use words of their own: put into the usual ones, or read block by block.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/plan/amounts.h"
#include "engine/plan/config_family.h"

namespace pitwall {

using nlohmann::json;

namespace {

/// The decoder that `usual` describes, read in place of the file's own words.
void read_as(const ConfigReader& reader, const json& usual, const ConfigFamily& family) {
  if (reader.keys.errors().error()) return;
  const HfKeys keys(usual, reader.keys.errors());
  read_decoder(ConfigReader{keys, reader.outer, family, reader.out});
}

/// Counts of a file are unsigned numbers.
json as_count(std::int64_t count) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

json usual_words(const ConfigReader& reader) {
  return {{"hidden_size", as_count(reader.size({"d_model"}))},
          {"num_hidden_layers", as_count(reader.size({"n_layers"}))},
          {"num_attention_heads", as_count(reader.size({"n_heads"}))},
          {"vocab_size", as_count(reader.size({"vocab_size"}))},
          {"max_position_embeddings", as_count(reader.size({"max_seq_len"}, 0))}};
}

}  // namespace

void read_mpt(const ConfigReader& reader) {
  json usual = usual_words(reader);
  ConfigFamily family = reader.family;
  DecoderTraits& traits = family.traits;
  traits.qkv_bias = traits.out_bias = traits.mlp_bias = traits.norm_bias = !reader.keys.flag("no_bias", true);
  static const json kNothing = json::object();
  const json* nested = reader.keys.object("attn_config");
  const HfKeys attention(nested != nullptr ? *nested : kNothing, reader.keys.errors());
  const std::string type = attention.text("attn_type", "multihead_attention");
  if (type == "multiquery_attention")
    usual["num_key_value_heads"] = as_count(1);
  else if (attention.has("kv_n_heads"))
    usual["num_key_value_heads"] = as_count(attention.size("kv_n_heads"));
  else if (type != "multihead_attention")
    attention.missing("kv_n_heads");
  if (attention.has("sliding_window_size") && attention.real("sliding_window_size", -1) > 0)
    usual["sliding_window"] = as_count(attention.size("sliding_window_size"));
  if (reader.keys.flag("learned_pos_emb", true) && !attention.flag("alibi", true)) traits.extra_positions = 0;
  usual["intermediate_size"] =
      as_count(capped_product(reader.size({"d_model"}), reader.size({"expansion_ratio"}, 4)));
  read_as(reader, usual, family);
}

void read_dbrx(const ConfigReader& reader) {
  json usual = usual_words(reader);
  for (const auto& [object, key, name] : {std::tuple{"attn_config", "kv_n_heads", "num_key_value_heads"},
                                          std::tuple{"ffn_config", "ffn_hidden_size", "intermediate_size"},
                                          std::tuple{"ffn_config", "moe_num_experts", "num_local_experts"},
                                          std::tuple{"ffn_config", "moe_top_k", "num_experts_per_tok"}}) {
    const json* nested = reader.keys.object(object);
    if (nested == nullptr) return reader.keys.missing(object);
    usual[name] = as_count(HfKeys(*nested, reader.keys.errors()).size(key));
  }
  read_as(reader, usual, reader.family);
}

/// Qwen 1: intermediate_size is that of both halves of the gated MLP.
void read_qwen(const ConfigReader& reader) {
  json usual = {{"intermediate_size", as_count(reader.size({"intermediate_size"}) / 2)}};
  for (const char* key : {"hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"})
    usual[key] = as_count(reader.size({key}));
  if (reader.has({"kv_channels"})) usual["head_dim"] = as_count(reader.size({"kv_channels"}));
  read_as(reader, usual, reader.family);
}

/// Nemotron NAS: what a search left of each Llama layer's attention and MLP.
void read_nas(const ConfigReader& reader) {
  read_common(reader);
  ModelOutline& out = reader.out;
  const json* blocks = reader.keys.find("block_configs");
  if (blocks == nullptr) return reader.keys.missing("block_configs");
  if (!blocks->is_array() || blocks->empty() || blocks->size() > 10'000)
    return reader.keys.wrong("block_configs", "an object for each layer");
  AttentionShape shape;
  shape.hidden = out.hidden;
  shape.heads = reader.size({"num_attention_heads"});
  out.heads = static_cast<int>(shape.heads);
  shape.key_dim = shape.value_dim = reader.size({"head_dim"}, static_cast<int>(shape.hidden / shape.heads));
  out.head_dim = static_cast<int>(shape.key_dim);
  const std::int64_t square = capped_product(shape.hidden, shape.hidden);
  for (const json& block : *blocks) {
    if (!block.is_object()) return reader.keys.wrong("block_configs", "an object for each layer");
    const HfKeys parts(block, reader.keys.errors());
    const json *of_attention = parts.object("attention"), *of_mlp = parts.object("ffn");
    if (of_attention == nullptr) return parts.missing("attention");
    if (of_mlp == nullptr) return parts.missing("ffn");
    const HfKeys attention(*of_attention, reader.keys.errors()), mlp(*of_mlp, reader.keys.errors());
    LayerState state;
    LayerWeightCounts counts;
    state.kind = LayerState::Kind::none;
    if (attention.flag("replace_with_linear", false)) {
      counts.attention = square;
    } else if (!attention.flag("no_op", false)) {
      const int group = attention.size("n_heads_in_group");
      shape.kv_heads = shape.heads / group;
      state = attention_state(shape);
      counts = attention_counts(shape, reader.family.traits);
    }
    counts.replicated = norm_counts(shape.hidden, reader.family.traits);
    if (mlp.flag("replace_with_linear", false)) {
      counts.mlp = square;
    } else if (!mlp.flag("no_op", false)) {
      constexpr double kMostTimes = 1 << 10;
      constexpr std::int64_t kUnit = 256;
      const double times = mlp.real("ffn_mult", 0);
      if (!(times > 0 && times < kMostTimes)) return mlp.wrong("ffn_mult", "a number above 0");
      const std::int64_t inner =
          rounded_up(static_cast<std::int64_t>(2 * times * static_cast<double>(shape.hidden) / 3), kUnit);
      out.intermediate = static_cast<int>(std::max<std::int64_t>(out.intermediate, inner));
      counts.mlp = mlp_counts(shape.hidden, inner, true, false);
    }
    if (reader.keys.errors().error()) return;
    add_layer(out, state, counts);
  }
}

}  // namespace pitwall
