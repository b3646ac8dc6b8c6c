// SPDX-License-Identifier: GPL-3.0-or-later
// Products with few tokens by kinds of weights, each in a file of its own for the compiler's sake.
#pragma once
#include "kernels/cuda/matrix_kernels.h"

namespace pitwall::cuda {

/// Rows of x, the input of every matrix of a launch.
struct SkinnyInput {
  Rows16 x;
  int rows = 0;
  bool aligned = false;  ///< every row begins at 16 bytes
};

/// Outputs of one type: GGUF blocks, or quantised linears.
void skinny_blocks(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream);
void skinny_grouped(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream);

struct GatedMlp {
  DeviceMatrix gate, up;
  Activation activation;
  Rows16 out;
};
void gated_blocks(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream);
void gated_grouped(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream);

}  // namespace pitwall::cuda
