// SPDX-License-Identifier: GPL-3.0-or-later
// A gated MLP's activations in float32. gelu_tanh (Hendrycks and Gimpel 2016): x/2·(1 + tanh(u)) =
// x·sigmoid(2u).
#pragma once
#include "engine/model/model_spec.h"

namespace pitwall::cuda {

__device__ inline float activated(float x, Activation activation) {
  const bool is_silu = activation == Activation::silu;
  const float scale = is_silu ? 1 : 1.5957691216057308f /* 2·√(2/π) */, cube = is_silu ? 0 : 0.044715f;
  return __fdividef(x, 1 + __expf(-scale * (x + cube * x * x * x)));
}

}  // namespace pitwall::cuda
