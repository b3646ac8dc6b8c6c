// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/gguf_converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "engine/execute/reference_ops.h"

namespace pitwall::test {

namespace {

using Floats = std::vector<float>;

constexpr std::uint32_t kF32 = 0, kQ8_0 = 8;

std::string architecture_of(const ModelSpec& spec) {
  if (spec.architecture == "mistral" || spec.architecture == "mixtral") return "llama";
  return spec.architecture == "cohere" ? "command-r" : spec.architecture;
}

bool pairs_neighbours(const std::string& architecture) {
  for (const char* name : {"llama", "granite", "smollm3", "command-r", "cohere2"}) {
    if (architecture == name) return true;
  }
  return false;
}

/// Rows i and i + half of each head become rows 2i and 2i + 1.
Floats permuted(const Floats& rows, int heads, int head_dim) {
  const auto columns = rows.size() / static_cast<std::size_t>(heads * head_dim);
  Floats out(rows.size());
  for (int head = 0; head < heads; ++head) {
    for (int i = 0; i < head_dim; ++i) {
      const int half = head_dim / 2, from = i % 2 == 0 ? i / 2 : i / 2 + half;
      std::copy_n(
          rows.begin() +
              static_cast<std::ptrdiff_t>(columns * static_cast<std::size_t>(head * head_dim + from)),
          columns,
          out.begin() + static_cast<std::ptrdiff_t>(columns * static_cast<std::size_t>(head * head_dim + i)));
    }
  }
  return out;
}

std::string as_f32(const Floats& values) {
  std::string data;
  for (const float value : values) data += GgufWriter::pack(value);
  return data;
}

/// Blocks of 32: d = largest/127, numbers to the nearest.
std::string as_q8_0(const Floats& values) {
  std::string data;
  for (std::size_t at = 0; at < values.size(); at += 32) {
    float largest = 0;
    for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, std::abs(values[at + i]));
    BlockQ8_0 block;
    const float d = largest / 127;
    block.d = float_to_half(d);
    for (std::size_t i = 0; i < 32; ++i)
      block.q[i] = static_cast<std::int8_t>(d > 0 ? std::lround(values[at + i] / d) : 0);
    data.append(reinterpret_cast<const char*>(&block), sizeof block);
  }
  return data;
}

Floats from_q8_0(const std::string& blocks, std::size_t count) {
  Floats values(count);
  dequantize(TensorType::q8_0, reinterpret_cast<const std::byte*>(blocks.data()), values.data(),
             static_cast<std::int64_t>(count));
  return values;
}

class Converter {
 public:
  Converter(const Model& model, GgufNumbers numbers)
      : model_(model), spec_(model.spec()), numbers_(numbers), architecture_(architecture_of(spec_)) {}

  GgufWriter convert() {
    write_keys();
    const ModelWeights& weights = model_.weights();
    matrix("token_embd", weights.embedding);
    norm("output_norm", weights.output_norm);
    if (!spec_.tied_embeddings) matrix("output", weights.output);
    for (std::size_t i = 0; i < weights.layers.size(); ++i) {
      prefix_ = fmt::format("blk.{}.", i);
      write_layer(spec_.layers[i], weights.layers[i]);
    }
    return std::move(out_);
  }

 private:
  std::string key(std::string_view name) const { return fmt::format("{}.{}", architecture_, name); }
  void count(std::string_view name, int value) { out_.u32(key(name), static_cast<std::uint32_t>(value)); }
  void real(std::string_view name, double value) { out_.f32(key(name), static_cast<float>(value)); }

  void write_keys() {
    const LayerSpec& layer = spec_.layers.front();
    const AttentionSpec& attention = layer.attention;
    out_.text("general.architecture", architecture_);
    out_.text("general.name", spec_.name);
    count("embedding_length", spec_.hidden);
    count("context_length", spec_.context_length);
    count("block_count", static_cast<int>(spec_.layers.size()));
    count("attention.head_count", attention.heads);
    count("attention.head_count_kv", attention.kv_heads);
    count("attention.key_length", attention.head_dim);
    count("attention.value_length", attention.head_dim);
    real(spec_.norm.kind == NormSpec::Kind::layer ? "attention.layer_norm_epsilon"
                                                  : "attention.layer_norm_rms_epsilon",
         static_cast<double>(spec_.norm.epsilon));
    if (layer.mlp.moe) {
      count("expert_count", layer.mlp.moe->experts);
      count("expert_used_count", layer.mlp.moe->top_k);
      count("expert_feed_forward_length", layer.mlp.moe->intermediate);
      if (layer.mlp.moe->shared_intermediate > 0)
        count("expert_shared_feed_forward_length", layer.mlp.moe->shared_intermediate);
    } else {
      count("feed_forward_length", layer.mlp.intermediate);
    }
    if (attention.window) count("attention.sliding_window", *attention.window);
    if (architecture_ == "gemma3" || architecture_ == "cohere2") {
      const auto full = std::find_if(spec_.layers.begin(), spec_.layers.end(),
                                     [](const LayerSpec& one) { return !one.attention.window; });
      count("attention.sliding_window_pattern", static_cast<int>(full - spec_.layers.begin()) + 1);
    }
    if (architecture_ == "granite") {
      real("attention.scale", static_cast<double>(attention.scale));
      real("embedding_scale", static_cast<double>(spec_.embedding_scale));
      real("residual_scale", static_cast<double>(spec_.residual_scale));
      real("logit_scale", 1.0 / static_cast<double>(spec_.logit_scale));
    }
    if (architecture_ == "command-r" || architecture_ == "cohere2")
      real("logit_scale", static_cast<double>(spec_.logit_scale));
    write_rope();
  }

  void write_rope() {
    const auto rotated = std::find_if(spec_.layers.begin(), spec_.layers.end(), [](const LayerSpec& one) {
      return one.attention.rope && !one.attention.window;
    });
    const LayerSpec& layer = rotated == spec_.layers.end() ? spec_.layers.front() : *rotated;
    const RopeSpec& rope = *layer.attention.rope;
    count("rope.dimension_count", rope.rotary_dim);
    real("rope.freq_base", rope.theta);
    using Kind = RopeSpec::Scaling::Kind;
    const RopeSpec::Scaling& scaling = rope.scaling;
    switch (scaling.kind) {
      case Kind::none:
        return;
      case Kind::llama3: {
        RopeSpec plain = rope;
        plain.scaling = {};
        const auto from = rope_frequencies(plain, 1), to = rope_frequencies(rope, 1);
        Floats divisors;
        for (std::size_t i = 0; i < from.size(); ++i) divisors.push_back(static_cast<float>(from[i] / to[i]));
        vector("rope_freqs.weight", divisors);
        return;
      }
      case Kind::linear:
        out_.text(key("rope.scaling.type"), "linear");
        break;
      case Kind::yarn:
        out_.text(key("rope.scaling.type"), "yarn");
        real("rope.scaling.yarn_beta_fast", scaling.beta_fast);
        real("rope.scaling.yarn_beta_slow", scaling.beta_slow);
        real("rope.scaling.attn_factor", rope.attention_factor / (1 + 0.1 * std::log(scaling.factor)));
        break;
      case Kind::longrope:
        real("rope.scaling.attn_factor", rope.attention_factor);
        vector("rope_factors_short.weight", {scaling.short_factors.begin(), scaling.short_factors.end()});
        vector("rope_factors_long.weight", {scaling.long_factors.begin(), scaling.long_factors.end()});
        break;
      case Kind::dynamic:
      case Kind::divisors:
        throw std::runtime_error("GGUF files do not say this rope scaling");
    }
    real("rope.scaling.factor", scaling.factor);
    count("rope.scaling.original_context_length", scaling.original_context);
  }

  void write_layer(const LayerSpec& layer, const LayerWeights& weights) {
    const AttentionSpec& attention = layer.attention;
    norm("attn_norm", weights.attention_norm);
    if (architecture_ == "phi3") {
      Floats all;
      for (const TensorView* part : {&weights.q, &weights.k, &weights.v}) append(all, *part);
      add("attn_qkv.weight", all, spec_.hidden);
    } else {
      rotated("attn_q.weight", weights.q, attention.heads, attention, spec_.hidden);
      rotated("attn_k.weight", weights.k, attention.kv_heads, attention, spec_.hidden);
      matrix("attn_v", weights.v);
    }
    matrix("attn_output", weights.o);
    if (attention.qkv_bias) {
      rotated("attn_q.bias", weights.q_bias, attention.heads, attention, 0);
      rotated("attn_k.bias", weights.k_bias, attention.kv_heads, attention, 0);
      vector(prefix_ + "attn_v.bias", reference::dequantized(weights.v_bias));
    }
    if (attention.output_bias) vector(prefix_ + "attn_output.bias", reference::dequantized(weights.o_bias));
    head_norm("attn_q_norm", weights.q_norm, attention.head_dim);
    head_norm("attn_k_norm", weights.k_norm, attention.head_dim);
    norm("post_attention_norm", weights.post_attention_norm);
    norm("ffn_norm", weights.mlp_norm);
    norm("post_ffw_norm", weights.post_mlp_norm);
    if (layer.mlp.moe) {
      write_experts(*layer.mlp.moe, weights);
    } else if (architecture_ == "phi3") {
      Floats both;
      append(both, weights.mlp.gate);
      append(both, weights.mlp.up);
      add("ffn_up.weight", both, spec_.hidden);
      matrix("ffn_down", weights.mlp.down);
    } else {
      write_mlp(weights.mlp, "");
    }
  }

  void write_mlp(const MlpWeights& mlp, std::string_view suffix) {
    matrix(fmt::format("ffn_gate{}", suffix), mlp.gate);
    matrix(fmt::format("ffn_up{}", suffix), mlp.up);
    matrix(fmt::format("ffn_down{}", suffix), mlp.down);
    if (!mlp.gate_bias.valid()) return;
    vector(prefix_ + "ffn_gate.bias", reference::dequantized(mlp.gate_bias));
    vector(prefix_ + "ffn_up.bias", reference::dequantized(mlp.up_bias));
    vector(prefix_ + "ffn_down.bias", reference::dequantized(mlp.down_bias));
  }

  void write_experts(const MoeSpec& moe, const LayerWeights& weights) {
    vector(prefix_ + "ffn_gate_inp.weight", reference::dequantized(weights.router), spec_.hidden);
    Floats gates, ups, downs;
    for (const MlpWeights& expert : weights.experts) {
      append(gates, expert.gate);
      append(ups, expert.up);
      append(downs, expert.down);
    }
    add("ffn_gate_exps.weight", gates, spec_.hidden, moe.intermediate);
    add("ffn_up_exps.weight", ups, spec_.hidden, moe.intermediate);
    add("ffn_down_exps.weight", downs, moe.intermediate, spec_.hidden);
    if (moe.shared_intermediate == 0) return;
    write_mlp(weights.mlp, "_shexp");
    vector(prefix_ + "ffn_gate_inp_shexp.weight", reference::dequantized(weights.shared_gate));
  }

  static void append(Floats& all, const TensorView& view) {
    const Floats values = reference::dequantized(view);
    all.insert(all.end(), values.begin(), values.end());
  }

  void norm(std::string_view name, const TensorView& view) {
    if (!view.valid()) return;
    Floats values = reference::dequantized(view);
    for (float& value : values) value += spec_.norm.weight_offset;
    vector(fmt::format("{}{}.weight", prefix_, name), values);
  }
  void head_norm(std::string_view name, const TensorView& view, int head_dim) {
    if (!view.valid()) return;
    Floats values = reference::dequantized(view);
    for (float& value : values) value += spec_.norm.weight_offset;
    vector(fmt::format("{}{}.weight", prefix_, name), values, view.rows > 1 ? head_dim : 0);
  }
  /// A row, or a matrix of `columns`, in F32.
  void vector(const std::string& name, const Floats& values, int columns = 0) {
    GgufWriter::Tensor tensor{name, {values.size()}, kF32, as_f32(values)};
    if (columns > 0)
      tensor.shape = {static_cast<std::uint64_t>(columns), values.size() / static_cast<std::size_t>(columns)};
    out_.tensors.push_back(std::move(tensor));
  }
  void matrix(std::string_view name, const TensorView& view) {
    add(fmt::format("{}.weight", name), reference::dequantized(view), static_cast<int>(view.columns));
  }
  /// Rows of q and k as the architecture's rope wants them.
  void rotated(std::string_view name, const TensorView& view, int heads, const AttentionSpec& attention,
               int columns) {
    Floats values = reference::dequantized(view);
    const bool permutes = pairs_neighbours(architecture_) && attention.rope &&
                          attention.rope->pairing == RopeSpec::Pairing::halves;
    if (permutes) values = permuted(values, heads, attention.head_dim);
    if (columns == 0) return vector(fmt::format("{}{}", prefix_, name), values);
    add(name, values, columns);
  }
  void add(std::string_view name, const Floats& values, int columns, int rows_each = 0) {
    GgufWriter::Tensor tensor;
    tensor.name = fmt::format("{}{}", prefix_, name);
    const auto rows = values.size() / static_cast<std::size_t>(columns);
    tensor.shape = {static_cast<std::uint64_t>(columns), rows};
    if (rows_each > 0) {
      const auto each = static_cast<std::uint64_t>(rows_each);
      tensor.shape = {static_cast<std::uint64_t>(columns), each, rows / each};
    }
    const bool blocks = numbers_ != GgufNumbers::f32 && columns % 32 == 0;
    const bool packs = blocks && numbers_ == GgufNumbers::q8_0;
    tensor.type = packs ? kQ8_0 : kF32;
    tensor.data = blocks ? as_q8_0(values) : as_f32(values);
    if (blocks && !packs) tensor.data = as_f32(from_q8_0(tensor.data, values.size()));
    out_.tensors.push_back(std::move(tensor));
  }

  const Model& model_;
  const ModelSpec& spec_;
  const GgufNumbers numbers_;
  const std::string architecture_;
  std::string prefix_;
  GgufWriter out_;
};

}  // namespace

GgufWriter to_gguf(const Model& model, GgufNumbers numbers) {
  return Converter(model, numbers).convert();
}

}  // namespace pitwall::test
