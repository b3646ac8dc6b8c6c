// SPDX-License-Identifier: GPL-3.0-or-later
// A gated MLP's activations in float32. gelu_tanh (Hendrycks and Gimpel 2016): x/2·(1 + tanh(u)) =
// x·sigmoid(2u).
#pragma once
#include "engine/model/model_spec.h"

namespace pitwall::cuda {

__device__ inline float activated(float x, Activation activation) {
  constexpr float kTwoSqrt2OverPi = 1.5957691216057308f;
  const float u = activation == Activation::silu ? x : kTwoSqrt2OverPi * (x + 0.044715f * x * x * x);
  return x / (1 + __expf(-u));
}

}  // namespace pitwall::cuda
