// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/skinny_cells.cuh"

namespace pitwall::cuda {

void skinny_blocks(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream) {
  with_block_type(outputs[0].weight.type, [&]<TensorType kType>() {
    launch_cells<kType, kStored<kType>.span>(in, outputs, count, stream);
  });
}

}  // namespace pitwall::cuda
