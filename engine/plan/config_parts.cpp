// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/plan/amounts.h"
#include "engine/plan/config_family.h"

namespace pitwall {

using nlohmann::json;

namespace {

/// A count, or one for each layer that is the same in all (Gemma 3n, Hunyuan).
int one_number(const HfKeys& keys, const char* name, int least) {
  const json *value = keys.find(name), *layers = keys.find("num_hidden_layers");
  const bool same =
      value->is_array() && layers != nullptr && *layers == value->size() &&
      std::all_of(value->begin(), value->end(), [&](const json& each) { return each == value->front(); });
  if (!same) return least > 0 ? keys.size(name) : keys.count(name);
  const std::vector<int> counts = keys.counts(name);
  if (!counts.empty() && counts.front() >= least) return counts.front();
  keys.wrong(name, "counts above 0");
  return least;
}

}  // namespace

int ConfigReader::number(Names names, int least) const {
  for (const char* name : names) {
    if (keys.has(name)) return one_number(keys, name, least);
  }
  keys.missing(*names.begin());
  return least;
}

int ConfigReader::count(Names names) const {
  return number(names, 0);
}

int ConfigReader::size(Names names) const {
  return number(names, 1);
}

int ConfigReader::size(Names names, int fallback) const {
  return has(names) ? size(names) : fallback;
}

int ConfigReader::layers(Names names) const {
  constexpr int kMost = 10'000;
  const int layers = size(names);
  if (layers <= kMost) return layers;
  keys.wrong(*names.begin(), fmt::format("1 to {} layers", format_count(kMost)));
  return 1;
}

int ConfigReader::count(Names names, int fallback) const {
  return has(names) ? count(names) : fallback;
}

bool ConfigReader::has(Names names) const {
  for (const char* name : names) {
    if (keys.has(name)) return true;
  }
  return false;
}

std::vector<int> ConfigReader::per_layer(Names names, int layers, int fallback) const {
  for (const char* name : names) {
    const json* value = keys.find(name);
    if (value == nullptr) continue;
    if (!value->is_array()) return std::vector<int>(static_cast<std::size_t>(layers), keys.size(name));
    std::vector<int> list = keys.counts(name);
    if (std::ssize(list) == layers) return list;
    if (!keys.errors().error()) keys.wrong(name, "one number for each layer");
    break;
  }
  return std::vector<int>(static_cast<std::size_t>(layers), fallback);
}

int ConfigReader::unstated_kv_heads() const {
  const int of_class = keys.names("num_key_value_heads") ? 0 : family.traits.kv_heads;
  if (of_class == 0) return out.heads;
  out.remarks.push_back(fmt::format("The file states no KV heads; {} are what its class has then", of_class));
  return of_class;
}

void follow_keys(const HfKeys& keys, DecoderTraits& traits) {
  for (const char* key : {"use_bias", "bias", "enable_bias", "add_bias_linear"}) {
    if (keys.has(key)) traits.qkv_bias = traits.out_bias = traits.mlp_bias = keys.flag(key, false);
  }
  if (keys.has("attention_bias")) {
    const bool of_inputs_alone = traits.qkv_bias && !traits.out_bias;
    traits.qkv_bias = keys.flag("attention_bias", false);
    traits.out_bias = traits.qkv_bias && !of_inputs_alone;
  }
  for (const char* key : {"use_qkv_bias", "add_qkv_bias", "qkv_bias"})
    traits.qkv_bias = keys.flag(key, traits.qkv_bias);
  traits.out_bias = keys.flag("attention_out_bias", traits.out_bias);
  traits.mlp_bias = keys.flag("mlp_bias", traits.mlp_bias);
  traits.head_bias = keys.flag("lm_head_bias", traits.head_bias);
  using QkNorm = DecoderTraits::QkNorm;
  if (keys.has("use_qk_norm") && traits.qk_norm_weighs) {
    const QkNorm used = traits.qk_norm == QkNorm::none ? QkNorm::shared : traits.qk_norm;
    traits.qk_norm = keys.flag("use_qk_norm", false) ? used : QkNorm::none;
  }
  if (keys.flag("qk_layernorm", false)) traits.qk_norm = QkNorm::whole;
  if (traits.one_norm_if_parallel && keys.flag("use_parallel_residual", false)) traits.norms = 1;
  if (keys.flag("use_post_norm", false)) traits.norms = 4;
  if (const json* gate = keys.find("gating"); gate != nullptr && gate->is_string() && *gate != "per-head")
    traits.head_gates = false, traits.output_gate = true;
  if (!keys.flag("do_layer_norm_before", true)) traits.outer_norms = 0;  // OPT-350m
  traits.correction_bias = keys.flag("moe_router_enable_expert_bias", traits.correction_bias);
  // Falcon: one norm before attention and MLP side by side, two in its newer layers.
  if (keys.flag("new_decoder_architecture", keys.has("n_head_kv")))
    traits.norms = keys.size("num_ln_in_parallel_attn", 2);
  else if (keys.has("parallel_attn"))
    traits.norms = keys.flag("parallel_attn", true) ? 1 : 2;
}

LayerWeightCounts attention_counts(const AttentionShape& shape, const DecoderTraits& traits) {
  const std::int64_t query = capped_product(shape.heads, shape.key_dim),
                     result = capped_product(shape.heads, shape.value_dim),
                     keys = capped_product(shape.kv_heads, shape.key_dim),
                     stored = capped_product(shape.kv_heads, capped_sum(shape.key_dim, shape.value_dim));
  LayerWeightCounts counts;
  counts.attention = capped_sum(capped_product(shape.hidden, query), capped_product(shape.hidden, result));
  counts.kv = capped_product(shape.hidden, stored);
  if (traits.qkv_bias)
    counts.attention += traits.output_gate ? 2 * query : query,
        counts.kv += traits.key_bias ? stored : stored - keys;
  if (traits.sinks) counts.attention += shape.heads;
  if (traits.head_gates)
    counts.attention = capped_sum(counts.attention, capped_product(shape.hidden, shape.heads));
  if (traits.gate_bias) counts.attention += shape.heads;
  if (traits.inner_norms) counts.attention += result;
  counts.replicated += traits.head_vectors * shape.key_dim;
  if (traits.output_gate)
    counts.attention = capped_sum(counts.attention, capped_product(shape.hidden, query));
  counts.replicated += norm_counts(shape.hidden, traits);
  if (traits.out_bias) counts.replicated += shape.hidden;
  if (traits.qk_norm == DecoderTraits::QkNorm::shared) counts.replicated += 2 * shape.key_dim;
  if (traits.qk_norm == DecoderTraits::QkNorm::whole) counts.attention += query, counts.kv += keys;
  return counts;
}

std::int64_t norm_counts(std::int64_t hidden, const DecoderTraits& traits) {
  return traits.norms * hidden * (traits.norm_bias ? 2 : 1);
}

std::int64_t mlp_counts(std::int64_t hidden, std::int64_t intermediate, bool gated, bool bias) {
  const int matrices = gated ? 3 : 2;
  const std::int64_t counts = capped_product(hidden, intermediate, std::int64_t{matrices});
  return bias ? counts + (matrices - 1) * intermediate + hidden : counts;
}

LayerState attention_state(const AttentionShape& shape) {
  LayerState state;
  state.kv_heads = static_cast<int>(shape.kv_heads);
  state.key_dim = static_cast<int>(shape.key_dim);
  state.value_dim = static_cast<int>(shape.value_dim);
  return state;
}

namespace {

struct MambaShape {
  std::int64_t inner = 0, states = 0, kernel = 0, heads = 0, head_dim = 0, groups = 0;
  bool second() const { return heads > 0; }  ///< Mamba 2: a head each has its own decay
  /// Numbers that pass the convolution.
  std::int64_t convolved() const { return second() ? inner + capped_product(2, groups, states) : inner; }
};

int capped_count(std::int64_t a, std::int64_t b) {
  return static_cast<int>(std::min<std::int64_t>(capped_product(a, b), 1 << 30));
}

MambaShape mamba_shape(const ConfigReader& reader, std::int64_t hidden) {
  MambaShape shape;
  shape.states = reader.size({"mamba_d_state", "ssm_state_size", "state_size", "mamba_state_dim"});
  shape.kernel = reader.size({"mamba_d_conv", "conv_kernel", "mamba_conv_kernel"}, 4);
  const int expand = reader.size({"mamba_expand", "expand"}, 2);
  shape.heads = reader.size({"mamba_n_heads", "mamba_num_heads", "n_mamba_heads", "num_heads"}, 0);
  shape.head_dim = reader.size({"mamba_d_head", "mamba_head_dim", "mamba_headdim", "head_dim"}, 64);
  shape.groups = reader.size({"mamba_n_groups", "n_groups", "mamba_ngroups"}, 1);
  // Files of Mamba alone state its width as intermediate_size, and some beside an `expand` that is not
  // theirs.
  shape.inner = reader.has({"mamba_d_ssm", "mamba_intermediate_size"})
                    ? reader.size({"mamba_d_ssm", "mamba_intermediate_size"})
                : is_mamba_alone(reader) ? reader.size({"intermediate_size"}, capped_count(hidden, expand))
                                         : capped_product(hidden, expand);
  if (shape.second() && !reader.has({"mamba_d_ssm"}) && shape.heads > 0 &&
      reader.has({"mamba_d_head", "mamba_head_dim", "mamba_headdim", "head_dim"}))
    shape.inner = capped_product(shape.heads, shape.head_dim);
  if (shape.second() && shape.head_dim == 0) shape.head_dim = shape.inner / shape.heads;
  return shape;
}

}  // namespace

LayerState mamba_state(const ConfigReader& reader, std::int64_t hidden) {
  const MambaShape shape = mamba_shape(reader, hidden);
  LayerState state;
  state.kind = LayerState::Kind::recurrent;
  state.recurrent_numbers = shape.second() ? capped_product(shape.heads, shape.head_dim, shape.states)
                                           : capped_product(shape.inner, shape.states);
  state.convolution_numbers = capped_product(shape.convolved(), std::max<std::int64_t>(shape.kernel - 1, 0));
  return state;
}

std::int64_t mamba_parameters(const ConfigReader& reader, std::int64_t hidden) {
  const MambaShape shape = mamba_shape(reader, hidden);
  const HfKeys& keys = reader.keys;
  const bool in_bias = keys.flag("mamba_proj_bias", keys.flag("use_bias", false)),
             out_bias = keys.flag("projectors_bias", in_bias),
             convolution_bias = keys.flag("mamba_conv_bias", keys.flag("use_conv_bias", true));
  const std::int64_t out = capped_product(shape.inner, hidden) + (out_bias ? hidden : 0);
  const std::int64_t kernel = shape.kernel + (convolution_bias ? 1 : 0);
  if (shape.second()) {
    const std::int64_t width = shape.inner + shape.convolved() + shape.heads;
    const std::int64_t in = capped_product(hidden + (in_bias ? 1 : 0), width);
    const std::int64_t norm = reader.keys.flag("mamba_rms_norm", true) ? shape.inner : 0;
    return capped_sum(in + capped_product(shape.convolved(), kernel), out + norm) + 3 * shape.heads;
  }
  const std::int64_t rank =
      reader.size({"mamba_dt_rank", "time_step_rank"}, static_cast<int>(divided_up(hidden, 16)));
  return capped_sum(
      capped_product(2, hidden + (in_bias ? 1 : 0), shape.inner) + capped_product(shape.inner, kernel) +
          capped_product(shape.inner, rank + 2 * shape.states) + capped_product(rank + 1, shape.inner) +
          capped_product(shape.inner, shape.states + 1) +
          (reader.keys.flag("mamba_inner_layernorms", reader.family.architecture == "JambaForCausalLM")
               ? rank + 2 * shape.states
               : 0),
      out);
}

void read_common(const ConfigReader& reader) {
  ModelOutline& out = reader.out;
  const DecoderTraits& traits = reader.family.traits;
  out.hidden = reader.size({"hidden_size", "n_embd", "n_embed", "d_model", "model_dim"});
  out.vocabulary = reader.size({"vocab_size", "padded_vocab_size"});
  const std::int64_t width = reader.size({"word_embed_proj_dim"}, out.hidden);  // OPT-350m: narrower
  out.embedding_parameters = capped_product(width, out.vocabulary);
  bool tied = traits.tied;
  for (const char* key : {"tie_embedding", "tie_word_embeddings"}) {
    tied = reader.outer.flag(key, reader.keys.flag(key, tied));
  }
  out.output_parameters = tied ? 0 : out.embedding_parameters;
  if (traits.extra_positions >= 0) {
    const std::int64_t positions =
        reader.size({"max_position_embeddings", "n_positions", "n_ctx", "max_target_positions"});
    out.embedding_parameters =
        capped_sum(out.embedding_parameters, capped_product(out.hidden, positions + traits.extra_positions));
  }
  out.other_parameters = traits.outer_norms * (traits.norm_bias ? 2 : 1) * std::int64_t{out.hidden};
  if (traits.head_bias) out.other_parameters += out.vocabulary;
  if (width != out.hidden) out.other_parameters += capped_product(2, width, out.hidden);
}

void add_layer(ModelOutline& out, const LayerState& state, const LayerWeightCounts& parameters) {
  out.layers.push_back(state);
  out.layer_parameters.push_back(parameters);
}

namespace {

/// A length as files state it: a count, or a sentinel of any size that means none.
std::int64_t length_of(const HfKeys& keys, const char* key) {
  const json* value = keys.find(key);
  if (value == nullptr) return 0;
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  if (value->is_number() && value->get<double>() > kMost) return 0;
  return keys.count(key);
}

}  // namespace

std::int64_t context_of(const HfKeys& keys, const HfKeys& outer) {
  std::int64_t context = 0;
  for (const char* key :
       {"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx", "max_sequence_length",
        "max_target_positions", "context_length", "model_max_length"}) {
    if (context == 0) context = length_of(keys, key);
    if (context == 0) context = length_of(outer, key);
  }
  const json* scaling =
      keys.has("rope_scaling") ? keys.object("rope_scaling") : keys.object("rope_parameters");
  if (scaling == nullptr || context == 0) return context;
  const HfKeys part(*scaling, keys.errors());
  const json* named = part.has("rope_type") ? part.find("rope_type") : part.find("type");
  const std::string type = named != nullptr && named->is_string() ? named->get<std::string>() : "default";
  // The others state the scaled length already.
  if (type != "linear" && type != "dynamic" && type != "yarn" && type != "deepseek_yarn") return context;
  const double factor = part.real("factor", 1);
  const std::int64_t original = length_of(part, "original_max_position_embeddings");
  const double stretched = static_cast<double>(original > 0 ? original : context) * factor;
  if (!(stretched > static_cast<double>(context))) return context;
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int64_t>(std::min(stretched, kMost));
}

}  // namespace pitwall
