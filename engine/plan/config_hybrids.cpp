// SPDX-License-Identifier: GPL-3.0-or-later
// Models of Mamba layers, alone or beside attention, whose files say in words of their own which layer is
// which.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/text_escape.h"
#include "engine/plan/amounts.h"
#include "engine/plan/config_family.h"

namespace pitwall {

namespace {

constexpr int kMostLayers = 10'000;

/// One layer's parts; a layer of both keeps both.
struct Parts {
  bool attention = false, mamba = false, mlp = true, experts = false;
};

AttentionShape attention_shape(const ConfigReader& reader) {
  AttentionShape shape;
  shape.hidden = reader.out.hidden;
  shape.heads = reader.size({"num_attention_heads"});
  reader.out.heads = static_cast<int>(shape.heads);
  const bool stated = reader.has({"num_key_value_heads"});
  shape.kv_heads = stated ? reader.size({"num_key_value_heads"}) : reader.unstated_kv_heads();
  const int fallback = static_cast<int>(shape.hidden / shape.heads);
  shape.key_dim = shape.value_dim =
      reader.size({"attention_head_dim", "attn_head_dim", "head_dim"}, fallback);
  reader.out.head_dim = static_cast<int>(shape.key_dim);
  return shape;
}

class HybridLayers {
 public:
  explicit HybridLayers(const ConfigReader& reader, bool attends)
      : reader_(reader), hidden_(reader.out.hidden) {
    if (attends) attention_ = attention_shape(reader);
    intermediate_ = reader.size({"intermediate_size"}, 0);
    experts_ = reader.count({"num_experts", "num_local_experts", "n_routed_experts"}, 0);
    expert_ = reader.count({"moe_intermediate_size"}, static_cast<int>(intermediate_));
    if (reader.count({"n_shared_experts"}, 0) > 0)  // one of that width, however many it stands for
      shared_ = reader.size({"moe_shared_expert_intermediate_size"}, static_cast<int>(expert_));
    reader.out.intermediate = static_cast<int>(intermediate_);
    reader.out.experts = static_cast<int>(experts_);
    reader.out.expert_intermediate = experts_ > 0 ? static_cast<int>(expert_) : 0;
    reader.out.top_k = experts_ > 0 ? reader.size({"num_experts_per_tok"}, 1) : 0;
  }

  /// Weights count with the first state of a layer.
  void add(const Parts& parts) const {
    const DecoderTraits& traits = reader_.family.traits;
    const bool mixes_and_mlp = (parts.attention || parts.mamba) && (parts.mlp || parts.experts);
    LayerWeightCounts counts;
    counts.replicated = (mixes_and_mlp ? 2 : 1) * hidden_;
    if (parts.attention) {
      const LayerWeightCounts attention = attention_counts(attention_, traits);
      counts.attention = attention.attention, counts.kv = attention.kv;
      if (traits.out_bias) counts.replicated += hidden_;
    }
    if (parts.mamba) counts.attention = capped_sum(counts.attention, mamba_parameters(reader_, hidden_));
    if (parts.experts) {
      // Nemotron 3: experts may work on a narrower input, which two projections lead to and from.
      const std::int64_t input = reader_.size({"moe_latent_size"}, static_cast<int>(hidden_));
      counts.experts = capped_product(experts_, mlp_counts(input, expert_, traits.gated, traits.expert_bias));
      if (input != hidden_) counts.replicated += capped_product(2, input, hidden_);
      counts.mlp = shared_ > 0 ? mlp_counts(hidden_, shared_, traits.gated, traits.mlp_bias) : 0;
      counts.replicated = capped_sum(counts.replicated, capped_product(experts_, hidden_));
    } else if (parts.mlp && intermediate_ > 0) {
      counts.mlp = mlp_counts(hidden_, intermediate_, traits.gated, traits.mlp_bias);
    }
    if (parts.attention) add_layer(reader_.out, attention_state(attention_), std::exchange(counts, {}));
    if (parts.mamba) add_layer(reader_.out, mamba_state(reader_, hidden_), std::exchange(counts, {}));
    if (!parts.attention && !parts.mamba) {
      LayerState nothing;
      nothing.kind = LayerState::Kind::none;
      add_layer(reader_.out, nothing, counts);
    }
  }
  bool has_experts() const { return experts_ > 1; }

 private:
  const ConfigReader& reader_;
  std::int64_t hidden_;
  AttentionShape attention_;
  std::int64_t intermediate_ = 0, experts_ = 0, expert_ = 0, shared_ = 0;
};

/// By a layer's name; transformers 5 has its own.
Parts parts_of(const ConfigReader& reader, int layer, const std::string& type) {
  Parts parts;
  parts.attention = type == "attention" || type == "full_attention" || type == "hybrid";
  parts.mamba = type == "mamba" || type == "linear_attention" || type == "hybrid";
  if (!parts.attention && !parts.mamba) {
    reader.keys.unsupported(fmt::format("Cannot estimate: layer {} is of type {}, which is unknown", layer,
                                        quote_for_message(type)),
                            "layers_block_type");
  }
  return parts;
}

}  // namespace

bool is_mamba_alone(const ConfigReader& reader) {
  const std::string_view name = reader.family.architecture;
  return name == "MambaForCausalLM" || name == "Mamba2ForCausalLM" || name == "FalconMambaForCausalLM";
}

void read_hybrid(const ConfigReader& reader) {
  read_common(reader);
  const int layers = reader.layers({"num_hidden_layers", "n_layer"});
  const std::string_view name = reader.family.architecture;
  const bool mamba_alone = is_mamba_alone(reader);
  const HybridLayers hybrid(reader, !mamba_alone);
  const int period = reader.size({"attn_layer_period"}, 0), offset = reader.count({"attn_layer_offset"}, 0);
  if (period > 0 && offset >= period)
    reader.keys.wrong("attn_layer_offset", fmt::format("less than attn_layer_period, {}", period));
  const int expert_period = reader.size({"expert_layer_period"}, 2),  // JambaConfig's defaults
      expert_offset = reader.count({"expert_layer_offset"}, 1);
  const std::vector<int> listed = reader.keys.counts("attn_layer_indices");
  const std::vector<std::string> types =
      reader.keys.texts("layers_block_type", static_cast<std::size_t>(layers));
  if (!mamba_alone && name != "FalconH1ForCausalLM" && period == 0 && listed.empty() && types.empty())
    reader.keys.missing("layers_block_type");
  for (int i = 0; i < layers && !reader.keys.errors().error(); ++i) {
    Parts parts;
    if (mamba_alone) {
      parts = {.mamba = true, .mlp = false};
    } else if (name == "FalconH1ForCausalLM") {
      parts = {.attention = true, .mamba = true};
    } else if (!types.empty()) {
      parts = parts_of(reader, i, types[static_cast<std::size_t>(i)]);
    } else {
      parts.attention =
          period > 0 ? i % period == offset : std::find(listed.begin(), listed.end(), i) != listed.end();
      parts.mamba = !parts.attention;
    }
    parts.experts = hybrid.has_experts() && i % expert_period == expert_offset;
    hybrid.add(parts);
  }
}

void read_nemotron_h(const ConfigReader& reader) {
  read_common(reader);
  std::string pattern = reader.keys.text("hybrid_override_pattern", "");
  if (pattern.empty()) {  // transformers 5 spells the letters out
    for (const std::string& type : reader.keys.texts("layers_block_type")) {
      const bool mamba = type == "mamba" || type == "linear_attention",
                 attention = type == "attention" || type == "full_attention";
      pattern += mamba ? 'M' : attention ? '*' : type == "mlp" ? '-' : type == "moe" ? 'E' : '?';
    }
  }
  if (pattern.empty()) reader.keys.missing("hybrid_override_pattern");
  if (pattern.size() > kMostLayers) reader.keys.wrong("hybrid_override_pattern", "a letter for each layer");
  if (reader.keys.errors().error()) return;
  const HybridLayers hybrid(reader, true);
  for (const char letter : pattern) {
    Parts parts{
        .attention = letter == '*', .mamba = letter == 'M', .mlp = letter == '-', .experts = letter == 'E'};
    if (!parts.attention && !parts.mamba && !parts.mlp && !parts.experts) {
      reader.keys.unsupported(
          fmt::format("Cannot estimate: layers of type {} in hybrid_override_pattern are unknown",
                      quote_for_message(std::string(1, letter))),
          "hybrid_override_pattern");
      return;
    }
    hybrid.add(parts);
  }
}

/// Zamba 2: Mamba layers, of which some first pass one of a few shared blocks of attention and MLP. A block
/// reads the residual beside the embedding, so its input is twice as wide; what tells its uses apart are a
/// projection and low-rank adapters of each.
void read_zamba2(const ConfigReader& reader) {
  read_common(reader);
  ModelOutline& out = reader.out;
  const int layers = reader.layers({"num_hidden_layers", "n_layer"});
  const std::vector<std::string> types =
      reader.keys.texts("layers_block_type", static_cast<std::size_t>(layers));
  if (types.empty()) reader.keys.missing("layers_block_type");
  const std::int64_t hidden = out.hidden, wide = 2 * hidden;
  AttentionShape shape;
  shape.hidden = hidden;
  shape.heads = reader.size({"num_attention_heads"});
  shape.kv_heads = reader.size({"num_key_value_heads"}, static_cast<int>(shape.heads));
  const int groups = reader.size({"num_query_groups"}, static_cast<int>(shape.kv_heads));
  if (groups != shape.kv_heads)
    reader.keys.wrong("num_query_groups", fmt::format("as many as KV heads, {}", shape.kv_heads));
  shape.key_dim = shape.value_dim = reader.size({"attention_head_dim"}, static_cast<int>(wide / shape.heads));
  const std::int64_t blocks = reader.size({"num_mem_blocks"}, 1), rank = reader.size({"adapter_rank"}, 128),
                     inner = reader.size({"intermediate_size"}),
                     query = capped_product(shape.heads, shape.key_dim);
  const bool attention_adapts = reader.keys.flag("use_shared_attention_adapter", false);
  out.heads = static_cast<int>(shape.heads);
  out.head_dim = static_cast<int>(shape.key_dim);
  out.intermediate = static_cast<int>(inner);
  std::int64_t uses = 0;
  for (int i = 0; i < layers && !reader.keys.errors().error(); ++i) {
    const Parts parts = parts_of(reader, i, types[static_cast<std::size_t>(i)]);
    if (!parts.mamba) reader.keys.wrong("layers_block_type", "mamba or hybrid for each layer");
    LayerWeightCounts counts;
    counts.attention = mamba_parameters(reader, hidden);
    counts.replicated = hidden;
    if (parts.attention) {
      counts.attention = capped_sum(counts.attention, capped_product(hidden, hidden));
      counts.mlp = capped_product(rank, hidden + 2 * inner);
      if (attention_adapts) counts.attention += capped_product(3, rank, wide + query);
      if (uses++ < blocks) {
        counts.attention = capped_sum(counts.attention, capped_product(query, wide + hidden));
        counts.kv = capped_product(2, wide, shape.kv_heads, shape.key_dim);
        counts.mlp = capped_sum(counts.mlp, mlp_counts(hidden, inner, true, false));
        counts.replicated += wide + hidden;
      }
      add_layer(out, attention_state(shape), std::exchange(counts, {}));
    }
    add_layer(out, mamba_state(reader, hidden), counts);
  }
}

/// RWKV-4: numerator, denominator and maximum of each channel, and the last input of both halves of a layer.
void read_rwkv(const ConfigReader& reader) {
  read_common(reader);
  ModelOutline& out = reader.out;
  const int layers = reader.layers({"num_hidden_layers", "n_layer"});
  const std::int64_t hidden = out.hidden, attention = reader.size({"attention_hidden_size"}, out.hidden),
                     inner = reader.size({"intermediate_size"},
                                         static_cast<int>(std::min<std::int64_t>(4 * hidden, 1 << 30)));
  out.intermediate = static_cast<int>(inner);
  for (int i = 0; i < layers && !reader.keys.errors().error(); ++i) {
    LayerState state;
    state.kind = LayerState::Kind::recurrent;
    state.recurrent_numbers = 3 * attention + 2 * hidden;
    LayerWeightCounts counts;
    counts.attention = capped_product(4, hidden, attention) + 3 * hidden + 2 * attention;
    counts.mlp = capped_product(2, hidden, inner) + capped_product(hidden, hidden) + 2 * hidden;
    counts.replicated = norm_counts(hidden, reader.family.traits);
    add_layer(out, state, counts);
  }
}

}  // namespace pitwall
