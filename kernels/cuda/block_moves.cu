// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/block_moves.h"

#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kThreads = 256;
constexpr int kUnitBytes = 16;
constexpr int kLayers = 32;  ///< of one launch, as kMoves: a kernel's parameters have 4 KB
constexpr int kMoves = 160;

/// One layer. A block's numbers are K and V of each kv head, block_size tokens each.
struct LayerBlocks {
  uint4* numbers;
  float* scales;
  std::int64_t host_place;  ///< bytes from the host block's start
  std::int32_t heads;       ///< of K and V together
  std::int32_t block_size, token_units;
  bool has_scales;

  __host__ __device__ std::int64_t units() const { return std::int64_t{heads} * block_size * token_units; }
  __host__ __device__ std::int64_t scale_count() const { return std::int64_t{heads} * block_size; }
};

template <class Move>
struct MoveList {
  LayerBlocks layers[kLayers];
  Move moves[kMoves];
};
static_assert(sizeof(MoveList<BlockCopy>) + 64 <= 4096 && sizeof(MoveList<BlockSwap>) + 64 <= 4096);

LayerBlocks layer_blocks(const KvView& view, std::int64_t host_place) {
  return {reinterpret_cast<uint4*>(view.numbers),
          view.token_scales,
          host_place,
          2 * view.kv_heads,
          view.block_size,
          view.padded_dim * kv_dtype_bytes(view.dtype) / kUnitBytes,
          view.dtype == KvDtype::int8};
}

std::int64_t host_bytes(const LayerBlocks& layer) {
  const std::int64_t scales = layer.has_scales ? layer.scale_count() * std::int64_t{sizeof(float)} : 0;
  return layer.units() * kUnitBytes + scales;
}

/// All threads of the block; several loads are on their way at once, as host memory is far.
__device__ void copy_units(const uint4* from, uint4* to, std::int64_t units) {
  constexpr int kAtOnce = 8;
  for (std::int64_t begin = threadIdx.x; begin < units; begin += kAtOnce * kThreads) {
    uint4 taken[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (begin + i * kThreads < units) taken[i] = __ldcv(from + begin + i * kThreads);
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (begin + i * kThreads < units) to[begin + i * kThreads] = taken[i];
    }
  }
}

/// A block of threads for each KV block and layer.
template <bool kOut>
__global__ void __launch_bounds__(kThreads) swap_kernel(const __grid_constant__ MoveList<BlockSwap> list,
                                                        std::byte* host, std::int64_t host_block_bytes) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const LayerBlocks& layer = list.layers[blockIdx.y];
  const std::int64_t block = list.moves[blockIdx.x].block.value;
  const auto copy = [](uint4* device, uint4* outside, std::int64_t units) {
    kOut ? copy_units(device, outside, units) : copy_units(outside, device, units);
  };
  auto* outside = reinterpret_cast<uint4*>(host + list.moves[blockIdx.x].host.value * host_block_bytes +
                                           layer.host_place);
  copy(layer.numbers + block * layer.units(), outside, layer.units());
  if (!layer.has_scales) return;
  copy(reinterpret_cast<uint4*>(layer.scales + block * layer.scale_count()), outside + layer.units(),
       layer.scale_count() * std::int64_t{sizeof(float)} / kUnitBytes);
}

/// A block of threads for each copy, layer and head of K or V.
__global__ void __launch_bounds__(kThreads) copy_kernel(const __grid_constant__ MoveList<BlockCopy> list) {
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const LayerBlocks& layer = list.layers[blockIdx.y];
  const auto head = static_cast<int>(blockIdx.z);
  if (head >= layer.heads) return;
  const BlockCopy& move = list.moves[blockIdx.x];
  const std::int64_t from = (std::int64_t{move.from.value} * layer.heads + head) * layer.block_size;
  const std::int64_t to = (std::int64_t{move.to.value} * layer.heads + head) * layer.block_size;
  copy_units(layer.numbers + from * layer.token_units, layer.numbers + to * layer.token_units,
             std::int64_t{move.tokens} * layer.token_units);
  const auto token = static_cast<int>(threadIdx.x);
  if (layer.has_scales && token < move.tokens) layer.scales[to + token] = layer.scales[from + token];
}

/// body(list, moves, layers) for parts of moves and layers that fit a launch.
template <class Move, class Body>
void in_launches(std::span<const KvView> layers, std::span<const Move> moves, const Body& body) {
  std::int64_t host_place = 0;
  for (std::size_t first_layer = 0; first_layer < layers.size(); first_layer += kLayers) {
    MoveList<Move> list{};
    const std::size_t layer_count = std::min<std::size_t>(layers.size() - first_layer, kLayers);
    for (std::size_t i = 0; i < layer_count; ++i) {
      list.layers[i] = layer_blocks(layers[first_layer + i], host_place);
      host_place += host_bytes(list.layers[i]);
    }
    for (std::size_t first = 0; first < moves.size(); first += kMoves) {
      const std::span<const Move> part =
          moves.subspan(first, std::min<std::size_t>(moves.size() - first, kMoves));
      std::copy(part.begin(), part.end(), list.moves);
      body(list, static_cast<unsigned>(part.size()), static_cast<unsigned>(layer_count));
    }
  }
}

template <bool kOut>
void swap(const MoveSpace& space, std::span<const BlockSwap> blocks, cudaStream_t stream) {
  in_launches(space.layers, blocks, [&](const MoveList<BlockSwap>& list, unsigned moves, unsigned layers) {
    launch(swap_kernel<kOut>, dim3(moves, layers), dim3(kThreads), 0, stream, list, space.host,
           space.host_block_bytes);
  });
}

}  // namespace

std::int64_t host_block_bytes(std::span<const KvView> layers) {
  std::int64_t bytes = 0;
  for (const KvView& layer : layers) bytes += host_bytes(layer_blocks(layer, bytes));
  return bytes;
}

void swap_out(const MoveSpace& space, std::span<const BlockSwap> blocks, cudaStream_t stream) {
  swap<true>(space, blocks, stream);
}

void swap_in(const MoveSpace& space, std::span<const BlockSwap> blocks, cudaStream_t stream) {
  swap<false>(space, blocks, stream);
}

void copy_blocks(const MoveSpace& space, std::span<const BlockCopy> copies, cudaStream_t stream) {
  in_launches(space.layers, copies, [&](const MoveList<BlockCopy>& list, unsigned moves, unsigned layers) {
    std::int32_t heads = 0;
    for (unsigned i = 0; i < layers; ++i) heads = std::max(heads, list.layers[i].heads);
    launch(copy_kernel, dim3(moves, layers, static_cast<unsigned>(heads)), dim3(kThreads), 0, stream, list);
  });
}

}  // namespace pitwall::cuda
