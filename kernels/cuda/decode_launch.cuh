// SPDX-License-Identifier: GPL-3.0-or-later
// Launches of decode attention, each KV format's compiled in a file of its own.
#pragma once
#include "kernels/cuda/decode_attention.cuh"

namespace pitwall::cuda {

/// A launch of one format.
template <KvDtype kDtype>
void launch_decode(const AttentionArgs& args, const DecodePlan& plan, int parts, cudaStream_t stream);

/// kHasRoom of the device.
inline bool has_room() {
  int device = 0, bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return bytes > 200 * 1024;
}

template <KvDtype kDtype, int kDim, int kHeadTiles>
void launch_decode_heads(const AttentionArgs& args, const DecodePlan& plan, int parts, cudaStream_t stream) {
  using Traits = DecodeTraits<kDtype, kDim, kHeadTiles>;
  const auto kernel = args.kv.padded_dim == kDim ? decode_kernel<kDtype, kDim, kHeadTiles, true>
                                                 : decode_kernel<kDtype, kDim, kHeadTiles, false>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
  launch(kernel, dim3(static_cast<unsigned>(parts)), dim3(Traits::kThreads), Traits::shared_bytes(has_room()),
         stream, args, plan);
}
template <KvDtype kDtype, int kDim>
void launch_decode_dim(const AttentionArgs& args, const DecodePlan& plan, int parts, cudaStream_t stream) {
  // Sixteen heads of 256 numbers would not fit the registers.
  if constexpr (kDim <= 128) {
    if (args.heads > 8 * args.kv.kv_heads)
      return launch_decode_heads<kDtype, kDim, 2>(args, plan, parts, stream);
  }
  launch_decode_heads<kDtype, kDim, 1>(args, plan, parts, stream);
}

}  // namespace pitwall::cuda

#define PITWALL_DECODE_OF(dtype)                                                                    \
  namespace pitwall::cuda {                                                                         \
  template <>                                                                                       \
  void launch_decode<dtype>(const AttentionArgs& args, const DecodePlan& plan, int parts,           \
                            cudaStream_t stream) {                                                  \
    if (args.kv.padded_dim <= 64) return launch_decode_dim<dtype, 64>(args, plan, parts, stream);   \
    if (args.kv.padded_dim <= 128) return launch_decode_dim<dtype, 128>(args, plan, parts, stream); \
    launch_decode_dim<dtype, 256>(args, plan, parts, stream);                                       \
  }                                                                                                 \
  }
