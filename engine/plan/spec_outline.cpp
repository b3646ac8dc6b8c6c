// SPDX-License-Identifier: GPL-3.0-or-later
// Outlines of what this engine runs: from the same ModelSpec that the forward reads.
#include <algorithm>

#include "engine/model/model.h"
#include "engine/model/packed_layout.h"
#include "engine/model/quantized_linear.h"
#include "engine/plan/amounts.h"
#include "engine/plan/model_outline.h"

namespace pitwall {

namespace {

LayerState state_of(const AttentionSpec& attention) {
  LayerState state;
  state.kind = attention.window ? LayerState::Kind::sliding : LayerState::Kind::full;
  state.kv_heads = attention.kv_heads;
  state.key_dim = state.value_dim = attention.head_dim;
  state.window = attention.window.value_or(0);
  return state;
}

LayerWeightCounts parameters_of(const LayerSpec& layer, std::int64_t hidden) {
  const AttentionSpec& attention = layer.attention;
  const std::int64_t query = std::int64_t{attention.heads} * attention.head_dim,
                     stored = std::int64_t{2} * attention.kv_heads * attention.head_dim;
  LayerWeightCounts counts;
  counts.attention = 2 * hidden * query;
  counts.kv = hidden * stored;
  counts.replicated = (layer.parallel ? 1 : 2) * hidden + (layer.post_norms ? 2 * hidden : 0);
  if (attention.qkv_bias) counts.attention += query, counts.kv += stored;
  if (attention.output_bias) counts.replicated += hidden;
  if (attention.qk_norm == QkNorm::shared) counts.replicated += 2 * attention.head_dim;
  if (attention.qk_norm == QkNorm::per_head) counts.attention += query, counts.kv += stored / 2;
  const MlpSpec& mlp = layer.mlp;
  counts.mlp = 3 * hidden * mlp.intermediate;
  if (mlp.bias) counts.mlp += 2 * std::int64_t{mlp.intermediate} + hidden;
  if (!mlp.moe) return counts;
  const MoeSpec& moe = *mlp.moe;
  counts.mlp += 3 * hidden * moe.shared_intermediate;
  counts.experts = 3 * hidden * moe.intermediate * moe.experts;
  counts.replicated += hidden * (moe.experts + (moe.shared_gate ? 1 : 0));
  return counts;
}

Bytes bytes_of(std::initializer_list<const TensorView*> views) {
  Bytes total = 0;
  for (const TensorView* view : views) total += view->valid() ? view->bytes : 0;
  return total;
}

LayerWeightCounts bytes_of(const LayerWeights& layer) {
  LayerWeightCounts bytes;
  bytes.attention = bytes_of({&layer.q, &layer.o, &layer.q_bias, &layer.o_bias});
  bytes.kv = bytes_of({&layer.k, &layer.v, &layer.k_bias, &layer.v_bias});
  bytes.mlp = bytes_of({&layer.mlp.gate, &layer.mlp.up, &layer.mlp.down, &layer.mlp.gate_bias,
                        &layer.mlp.up_bias, &layer.mlp.down_bias});
  for (const MlpWeights& expert : layer.experts)
    bytes.experts += bytes_of({&expert.gate, &expert.up, &expert.down});
  bytes.replicated =
      bytes_of({&layer.attention_norm, &layer.q_norm, &layer.k_norm, &layer.post_attention_norm,
                &layer.mlp_norm, &layer.post_mlp_norm, &layer.router, &layer.shared_gate});
  return bytes;
}

/// What kernels/cpu makes of each weight, in the order of Transformer::upload_weights.
class Packing {
 public:
  void matrix(const TensorView& view) {
    if (!view.valid()) return;
    // Groups by index are numbers of the file: they are looked at only once found sound.
    if (view.quantized && view.quantized->group_index != nullptr && !view.quantized->check_numbers())
      sound_ = false;
    if (!sound_) return;
    const PackedLayout layout = packed_layout(view);
    const bool known = std::find(orders_.begin(), orders_.end(), layout.order) != orders_.end();
    if (!layout.order.empty() && !known) orders_.push_back(layout.order);
    const auto order_bytes =
        known ? Bytes{0} : static_cast<Bytes>(layout.order.size() * sizeof(std::int32_t));
    take(layout.values + layout.scales + order_bytes);
    packed_.ordered = packed_.ordered || !layout.order.empty();
    int& columns = is_packed_quantised(layout.matrix.type) ? packed_.block_columns : packed_.float_columns;
    columns = std::max(columns, layout.matrix.columns);
  }
  void vector(const TensorView& view) {
    if (view.valid()) take(view.rows * view.columns * Bytes{sizeof(float)});
  }
  void mlp(const MlpWeights& weights) {
    for (const TensorView* view : {&weights.gate, &weights.up, &weights.down}) matrix(*view);
    for (const TensorView* view : {&weights.gate_bias, &weights.up_bias, &weights.down_bias}) vector(*view);
  }
  void layer(const LayerWeights& weights) {
    for (const TensorView* view :
         {&weights.q, &weights.k, &weights.v, &weights.o, &weights.router, &weights.shared_gate})
      matrix(*view);
    for (const TensorView* view : {&weights.attention_norm, &weights.q_bias, &weights.k_bias, &weights.v_bias,
                                   &weights.o_bias, &weights.q_norm, &weights.k_norm,
                                   &weights.post_attention_norm, &weights.mlp_norm, &weights.post_mlp_norm})
      vector(*view);
    mlp(weights.mlp);
    for (const MlpWeights& expert : weights.experts) mlp(expert);
  }
  PackedWeights result() const { return sound_ ? packed_ : PackedWeights{}; }

 private:
  void take(Bytes bytes) { packed_.bytes += rounded_up(bytes, kPackedAlignment); }
  PackedWeights packed_;
  std::vector<std::vector<std::int32_t>> orders_;
  bool sound_ = true;
};

PackedWeights packed_weights(const Model& model) {
  Packing packing;
  packing.matrix(model.weights().embedding);
  for (const LayerWeights& layer : model.weights().layers) packing.layer(layer);
  packing.vector(model.weights().output_norm);
  if (!model.spec().tied_embeddings) packing.matrix(model.weights().output);
  return packing.result();
}

}  // namespace

ModelOutline outline_of(const ModelSpec& spec) {
  ModelOutline outline;
  outline.spec = std::make_shared<const ModelSpec>(spec);
  outline.name = spec.name;
  outline.architecture = spec.architecture;
  outline.hidden = spec.hidden;
  outline.vocabulary = spec.vocabulary;
  outline.context_length = spec.context_length;
  for (const LayerSpec& layer : spec.layers) {
    outline.layers.push_back(state_of(layer.attention));
    outline.layer_parameters.push_back(parameters_of(layer, spec.hidden));
    outline.heads = std::max(outline.heads, layer.attention.heads);
    outline.head_dim = std::max(outline.head_dim, layer.attention.head_dim);
    outline.intermediate = std::max(outline.intermediate, layer.mlp.intermediate);
    if (!layer.mlp.moe) continue;
    outline.intermediate = std::max(outline.intermediate, layer.mlp.moe->shared_intermediate);
    outline.expert_intermediate = layer.mlp.moe->intermediate;
    outline.experts = layer.mlp.moe->experts;
    outline.top_k = layer.mlp.moe->top_k;
  }
  outline.embedding_parameters = std::int64_t{spec.hidden} * spec.vocabulary;
  outline.output_parameters = spec.tied_embeddings ? 0 : outline.embedding_parameters;
  outline.other_parameters = spec.hidden;
  return *with_weight_format(outline, "bfloat16");
}

ModelOutline outline_of(const Model& model) {
  ModelOutline outline = outline_of(model.spec());
  outline.from_headers = true;
  outline.weight_format = model.quantization();
  outline.layer_bytes.clear();
  std::int64_t linear_bytes = 0, linear_parameters = 0;
  for (const LayerWeights& layer : model.weights().layers) {
    outline.layer_bytes.push_back(bytes_of(layer));
    const LayerWeightCounts& counts = outline.layer_parameters[outline.layer_bytes.size() - 1];
    linear_bytes += outline.layer_bytes.back().total() - outline.layer_bytes.back().replicated;
    linear_parameters += counts.total() - counts.replicated;
  }
  if (linear_parameters > 0)
    outline.weight_bits = 8.0 * static_cast<double>(linear_bytes) / static_cast<double>(linear_parameters);
  outline.embedding_bytes = bytes_of({&model.weights().embedding});
  outline.output_bytes = model.spec().tied_embeddings ? 0 : bytes_of({&model.weights().output});
  outline.other_bytes = 0;
  outline.other_bytes = std::max<Bytes>(model.weight_bytes() - outline.weight_bytes(), 0);
  outline.packed = packed_weights(model);
  return outline;
}

}  // namespace pitwall
