// SPDX-License-Identifier: GPL-3.0-or-later
// What the own products share, and their parts by kinds of weights, each in a file of its own for the
// compiler's sake.
#pragma once
#include <algorithm>

#include "kernels/cuda/matrix_kernels.h"

namespace pitwall::cuda {

/// Rows of x, the input of every matrix of a launch.
struct SkinnyInput {
  Rows16 x;
  int rows = 0;
  int multiprocessors = 1;
  bool aligned = false;  ///< every row begins at 16 bytes
  NormBehind norm;       ///< of x
};

inline SkinnyInput skinny_input(Rows16 x, int rows, const NormBehind& norm, int multiprocessors) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0 && x.stride % 8 == 0;
  return {x, rows, multiprocessors, aligned, norm};
}

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

/// The same in integers (byte_product.cuh), of up to kTokens rows: 1, 2, 4 or 8. False: not for these
/// weights, and nothing is launched.
template <int kTokens>
bool skinny_bytes(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream);
template <int kTokens>
bool gated_bytes(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream);

/// Visits of experts of one shape.
struct ExpertVisits {
  const DeviceMatrix* matrices = nullptr;  ///< null: tokens are rows of x, the weight is one
  const std::int32_t* first_visit = nullptr;
  const std::int32_t* rows = nullptr;  ///< of x by visit; null: the visit itself
  int experts = 0;
};
struct ExpertTiles {
  ExpertVisits visits;
  int most_visits = 0;
};
/// Groups of up to `size` visits to one expert that `most_visits` may make.
inline int most_groups(int most_visits, int experts, int size) {
  return std::min(most_visits, experts + most_visits / size);
}
/// Tiles of 64 or 128 tokens: rows of x, or visits to experts, whose shape is the output's weight.
void multiply_in_tiles(const SkinnyInput& in, const SkinnyOutput& output, const ExpertTiles& experts,
                       cudaStream_t stream);

}  // namespace pitwall::cuda
