// SPDX-License-Identifier: GPL-3.0-or-later
// The slow, obvious twin of each Backend operation, in double where sums are formed. Tests compare back ends
// against it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/model_spec.h"

namespace pitwall::reference {

using Row = std::vector<float>;

/// weight (rows × columns, any type) dequantised, row-major.
std::vector<float> dequantized(const TensorView& weight);

/// y = W·x (+ bias); W is rows × x.size().
Row linear(std::span<const float> weight, std::span<const float> x, std::span<const float> bias = {});

/// x_i · w_i / sqrt(mean(x²) + ε)   (Zhang and Sennrich 2019)
Row rms_norm(std::span<const float> x, std::span<const float> weight, float epsilon);

/// act(gate_i) · up_i
Row gated(std::span<const float> gate, std::span<const float> up, Activation activation);

/// Rotates each head of `x` (heads × head_dim) to `position`.
void rope(std::span<float> x, int head_dim, const RopeSpec& rope, std::int64_t position);

/// Softmax attention of one query row over keys and values of positions 0 … n − 1 (its own position is n −
/// 1). q: heads × head_dim; keys, values: n rows of kv_heads × head_dim. window 0 = all positions.
Row attention(std::span<const float> q, std::span<const float> keys, std::span<const float> values, int n,
              int heads, int kv_heads, int head_dim, float scale, int window);

}  // namespace pitwall::reference
