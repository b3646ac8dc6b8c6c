// SPDX-License-Identifier: GPL-3.0-or-later
// Scales of fp8 KV in hub checkpoints: number = stored·scale, for K and V of each layer.
#pragma once
#include "engine/model/weight_binding.h"

namespace pitwall {

/// Reads self_attn.{attn.k_scale, k_scale, k_proj.k_scale, k_proj.output_scale} of each layer and the same
/// for v: the names that vLLM 0.25 maps to its attention layer, from compressed-tensors, ModelOpt and Quark
/// exports. One number counts for every kv head, otherwise there is one for each. K and V never stand in for
/// one another. Errors name layer, tensor and value.
Result<void> read_kv_scales(const ModelSpec& spec, const TensorNames& names, WeightBinder& binder,
                            ModelWeights& weights);

/// Scales of attention that nothing here understands, such as self_attn.q_scale, and those of quantised
/// activations: the binder ignores them and the caller tells.
std::vector<std::string> ignore_unknown_scales(WeightBinder& binder);

}  // namespace pitwall
