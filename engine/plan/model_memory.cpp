// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/model_memory.h"

namespace pitwall {

ParameterCount count_parameters(const ModelSpec& spec) {
  const std::int64_t hidden = spec.hidden;
  ParameterCount count;
  for (const LayerSpec& layer : spec.layers) {
    const AttentionSpec& attention = layer.attention;
    const std::int64_t query = std::int64_t{attention.heads} * attention.head_dim;
    const std::int64_t key_value = std::int64_t{2} * attention.kv_heads * attention.head_dim;
    count.linear += hidden * (query + key_value) + query * hidden;
    count.linear += 3 * hidden * layer.mlp.intermediate;
    count.vectors += 2 * hidden + (attention.qkv_bias ? query + key_value : 0);
  }
  count.vectors += hidden;
  count.output = hidden * spec.vocabulary;
  count.embedding = spec.tied_embeddings ? 0 : count.output;
  return count;
}

KvLayout kv_layout_of(const ModelSpec& spec, KvDtype dtype, int block_size) {
  KvLayout layout;
  layout.dtype = dtype;
  layout.block_size = block_size;
  for (const LayerSpec& layer : spec.layers) {
    layout.layers.push_back({layer.attention.kv_heads, layer.attention.head_dim, {}, {}});
  }
  return layout;
}

}  // namespace pitwall
