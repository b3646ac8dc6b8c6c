// SPDX-License-Identifier: GPL-3.0-or-later
// The slow, obvious twin of each Backend operation, in double where sums are formed. Tests compare back ends
// against it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/cache/kv_layout.h"
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

/// x = (x − mean)·w / sqrt(variance + ε)   (Ba et al. 2016, without bias)
Row layer_norm(std::span<const float> x, std::span<const float> weight, float epsilon);

/// The experts that a router with these logits chooses, the likeliest first, and their weights.
struct Choice {
  int expert;
  float weight;
};
std::vector<Choice> route(std::span<const float> logits, const MoeSpec& spec);

/// Rotates each head of `x` (heads × head_dim) to `position`, with the frequencies for `positions` tokens.
void rope(std::span<float> x, int head_dim, const RopeSpec& rope, std::int64_t position, int positions = 1);

/// Softmax attention of one query row over keys and values of positions 0 … n − 1 (its own position is n −
/// 1). q: heads × head_dim; keys, values: n rows of kv_heads × head_dim. window 0 = all positions.
Row attention(std::span<const float> q, std::span<const float> keys, std::span<const float> values, int n,
              int heads, int kv_heads, int head_dim, float scale, int window, float softcap = 0);

/// The number of an fp8_e4m3 code (OCP 8-bit floating point, 2023): (−1)^s·2^(e − 7)·(1 + m/8), e = 0 the
/// subnormals 2^−6·m/8, 0x7F and 0xFF NaN.
double fp8_e4m3(std::uint8_t code);
/// The code of the nearest number, of two equally near the one with an even m; beyond ±448 the code of ±448.
std::uint8_t fp8_e4m3_code(float x);

/// What the KV cache gives back of one token's and kv head's numbers. `scale`: of fp8_e4m3.
Row stored_kv(std::span<const float> head, KvDtype dtype, float scale);

}  // namespace pitwall::reference
