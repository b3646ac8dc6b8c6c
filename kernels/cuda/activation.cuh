// SPDX-License-Identifier: GPL-3.0-or-later
// A gated MLP's activations in float32. gelu_tanh: Hendrycks and Gimpel (2016).
#pragma once
#include "engine/model/model_spec.h"

namespace pitwall::cuda {

__device__ inline float activated(float x, Activation activation) {
  if (activation == Activation::silu) return x / (1 + __expf(-x));
  constexpr float kSqrt2OverPi = 0.7978845608f;
  return 0.5f * x * (1 + tanhf(kSqrt2OverPi * (x + 0.044715f * x * x * x)));
}

}  // namespace pitwall::cuda
