// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/skinny_bytes.cuh"

namespace pitwall::cuda {

template bool skinny_bytes<4>(const SkinnyInput&, const SkinnyOutput*, int, cudaStream_t);
template bool gated_bytes<4>(const SkinnyInput&, const GatedMlp&, cudaStream_t);

}  // namespace pitwall::cuda
