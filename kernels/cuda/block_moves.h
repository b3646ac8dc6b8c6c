// SPDX-License-Identifier: GPL-3.0-or-later
// KV blocks copied on the device, and moved to and from the swap space in pinned host memory.
#pragma once
#include <span>

#include "engine/step/step_plan.h"
#include "kernels/cuda/kv_view.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

/// All layers' pools and one host block's layout: the layers one after another, numbers then token scales.
struct MoveSpace {
  std::span<const KvView> layers;
  std::byte* host = nullptr;  ///< pinned, as the device sees it; 16-byte aligned
  std::int64_t host_block_bytes = 0;
};
std::int64_t host_block_bytes(std::span<const KvView> layers);

/// In stream order, by kernels that take the lists as parameters. Lists and layers are read before the call
/// returns; nothing is allocated.
void swap_out(const MoveSpace& space, std::span<const BlockSwap> blocks, cudaStream_t stream);
void swap_in(const MoveSpace& space, std::span<const BlockSwap> blocks, cudaStream_t stream);
/// The first `tokens` positions of each block, all layers.
void copy_blocks(const MoveSpace& space, std::span<const BlockCopy> copies, cudaStream_t stream);

}  // namespace pitwall::cuda
