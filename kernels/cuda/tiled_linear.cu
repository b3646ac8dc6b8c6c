// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/tile_product.cuh"

namespace pitwall::cuda {

namespace {

template <TensorType kType>
void multiply_tiles(const SkinnyInput& in, const SkinnyOutput& output, const ExpertTiles& experts,
                    cudaStream_t stream) {
  TileJob<MatrixSource<kType>> job{.in = in,
                                   .source = matrix_source<kType>(output.weight),
                                   .order = output.weight.order,
                                   .rows = output.weight.rows,
                                   .stride = output.weight.stride,
                                   .target = skinny_target(output),
                                   .visits = experts.visits};
  const auto groups = [&](int size) {
    return experts.visits.matrices != nullptr ? most_groups(experts.most_visits, experts.visits.experts, size)
                                              : (in.rows + size - 1) / size;
  };
  const int tokens =
      experts.visits.matrices != nullptr ? experts.most_visits / experts.visits.experts : in.rows;
  if (tokens <= 64) return launch_tiles<kType, 64>(job, groups(64), stream);
  launch_tiles<kType, 128>(job, groups(128), stream);
}

}  // namespace

void multiply_in_tiles(const SkinnyInput& in, const SkinnyOutput& output, const ExpertTiles& experts,
                       cudaStream_t stream) {
  const auto multiply = [&]<TensorType kType>() { multiply_tiles<kType>(in, output, experts, stream); };
  if (output.weight.is_plain()) return multiply.template operator()<TensorType::bf16>();
  with_quantised_type(output.weight.type, multiply);
}

void tiled_linear(Rows16 x, const SkinnyOutput& output, int rows, cudaStream_t stream) {
  multiply_in_tiles(skinny_input(x, rows, {}, 1), output, {}, stream);
}

}  // namespace pitwall::cuda
