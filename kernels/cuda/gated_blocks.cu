// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/skinny_cells.cuh"

namespace pitwall::cuda {

void gated_blocks(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream) {
  with_block_type(mlp.gate.type, [&]<TensorType kType>() {
    launch_gated_cells<kType, kStored<kType>.span>(in, mlp, stream);
  });
}

}  // namespace pitwall::cuda
