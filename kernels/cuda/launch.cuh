// SPDX-License-Identifier: GPL-3.0-or-later
// One way to launch: with programmatic dependent launch, which lets a kernel begin before the one ahead of it
// in the stream has ended. Every kernel calls wait_for_kernel_ahead() before it touches what is not constant,
// and so has ended after all kernels ahead of it.
// early_reads: a kernel may read before it waits what was written before its last waiter, the nearest kernel
// ahead that waits first and then lets the next one start: that one's wait is over. Kernels that let the next
// one start before they wait (products, rope_append) hand this on; none from the waiter on may write it.
#pragma once
#include <cuda_runtime.h>

#include <utility>

namespace pitwall::cuda {

/// Whether kernels may overlap their neighbours in the stream; results are the same either way.
inline bool overlap_launches = true;

/// In clusters of `cluster` neighbouring blocks, which share their memories (sm_90).
template <class... Parameters, class... Arguments>
void launch_clusters(int cluster, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     std::size_t shared_bytes, cudaStream_t stream, Arguments&&... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  if (shared_bytes > 48 * 1024) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
  }
  cudaLaunchAttribute attributes[2]{};
  unsigned count = 0;
  if (overlap_launches) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t stream, Arguments&&... arguments) {
  launch_clusters(1, kernel, grid, block, shared_bytes, stream, std::forward<Arguments>(arguments)...);
}

/// Of a block.
inline std::size_t most_shared_bytes() {
  int device = 0, bytes = 48 * 1024;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return static_cast<std::size_t>(bytes);
}

}  // namespace pitwall::cuda
