// SPDX-License-Identifier: GPL-3.0-or-later
// Experts with few visits each, in the frame of skinny.cuh: a block has 16 rows of one expert's weight and up
// to 16 of its visits.
#pragma once
#include "kernels/cuda/skinny_cells.cuh"
#include "kernels/cuda/tile_product.cuh"

namespace pitwall::cuda {

template <class Weights, int kStages>
__global__ void __launch_bounds__(kSkinnyThreads, 2)
    expert_kernel(const __grid_constant__ TileJob<typename Weights::Source> job) {
  constexpr int kTokens = 8 * Weights::kTokenTiles;
  __shared__ WarpSums<Weights::kTokenTiles> shared;
  wait_for_kernel_ahead();  // which expert's weights are read depends on it
  let_next_kernel_start();
  const TileWork<typename Weights::Source> work = tile_work(job, static_cast<int>(blockIdx.y), kTokens);
  if (work.count <= 0) return;
  const auto tile = static_cast<int>(blockIdx.x);
  const auto ready = [&] {
    LaneTokens<Weights::kTokenTiles> tokens{{}, nullptr, job.in.x.columns, job.in.aligned};
#pragma unroll
    for (int n = 0; n < Weights::kTokenTiles; ++n) {
      const int token = static_cast<int>(threadIdx.x) % 32 / 4 + 8 * n;
      if (token >= work.count) continue;
      const int visit = work.first + token;
      const int row = job.visits.rows != nullptr ? job.visits.rows[visit] : visit;
      tokens.rows[n] = job.in.x.data + std::int64_t{row} * job.in.x.stride;
    }
    return tokens;
  };
  float sums[1][Weights::kTokenTiles][4] = {};
  const int chunks = (job.stride + kChunkColumns - 1) / kChunkColumns;
  skinny_sums<Weights, 1, kStages>({&work.source}, {work.order}, tile, chunks, ready, sums);
  put_sums<Weights::kTokenTiles>(sums[0], shared[threadIdx.x / 32]);
  __syncthreads();
  for (int i = threadIdx.x; i < kTileRows * kTokens; i += kSkinnyThreads) {
    const int token = i / kTileRows, row = tile * kTileRows + i % kTileRows;
    if (token < work.count && row < job.rows)
      job.target.store(work.first + token, row, take_sum<Weights::kTokenTiles>(shared, i % kTileRows, token));
  }
}

template <class Weights, int kStages>
void launch_experts(const TileJob<typename Weights::Source>& job, int most_visits, cudaStream_t stream) {
  const dim3 grid(
      static_cast<unsigned>((job.rows + kTileRows - 1) / kTileRows),
      static_cast<unsigned>(most_groups(most_visits, job.visits.experts, 8 * Weights::kTokenTiles)));
  launch(expert_kernel<Weights, kStages>, grid, kSkinnyThreads, 0, stream, job);
}

}  // namespace pitwall::cuda
