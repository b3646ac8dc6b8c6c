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
    count.vectors += layer.parallel ? hidden : 2 * hidden;
    if (layer.post_norms) count.vectors += 2 * hidden;
    if (attention.qkv_bias) count.vectors += query + key_value;
    if (attention.output_bias) count.vectors += hidden;
    if (attention.qk_norm == QkNorm::shared) count.vectors += 2 * attention.head_dim;
    if (attention.qk_norm == QkNorm::per_head) count.vectors += query + key_value / 2;
    const MlpSpec& mlp = layer.mlp;
    count.linear += 3 * hidden * mlp.intermediate;
    if (mlp.bias) count.vectors += 2 * mlp.intermediate + hidden;
    if (!mlp.moe) continue;
    const MoeSpec& moe = *mlp.moe;
    count.linear += moe.experts * hidden + 3 * hidden * moe.shared_intermediate;
    const std::int64_t expert = 3 * hidden * moe.intermediate;
    count.linear += expert * moe.experts;
    count.experts += expert * moe.experts;
    count.visited += expert * moe.top_k;
    if (moe.shared_gate) count.linear += hidden;
  }
  count.vectors += hidden;
  count.output = hidden * spec.vocabulary;
  count.embedding = spec.tied_embeddings ? 0 : count.output;
  return count;
}

}  // namespace pitwall
