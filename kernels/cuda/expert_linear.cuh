// SPDX-License-Identifier: GPL-3.0-or-later
// Experts with few visits each, in the frame of skinny.cuh: a block has a pass of one expert's weight and up
// to 16 of its visits.
#pragma once
#include "kernels/cuda/skinny_cells.cuh"
#include "kernels/cuda/tile_product.cuh"

namespace pitwall::cuda {

template <class Weights>
__global__ void __launch_bounds__(32 * Weights::kWarps, Weights::kBlocks)
    expert_kernel(const __grid_constant__ TileJob<typename Weights::Source> job) {
  constexpr int kTokens = 8 * Weights::kTokenTiles;
  let_next_kernel_start();
  wait_for_kernel_ahead();  // which expert's weights are read depends on it
  const TileWork<typename Weights::Source> work = tile_work(job, static_cast<int>(blockIdx.y), kTokens);
  if (work.count <= 0) return;
  const auto pass = static_cast<int>(blockIdx.x);
  const SkinnyMatrix<typename Weights::Source> matrix{
      {work.source}, {work.order}, {0, static_cast<int>(gridDim.x)}, job.stride};
  const auto ready = [&] {
    return lane_tokens<Weights::kTokenTiles>(job.in, job.stride, work.count, [&](int token) {
      const int visit = work.first + token;
      return job.visits.rows != nullptr ? job.visits.rows[visit] : visit;
    });
  };
  skinny_products<Weights>(
      matrix, {pass, pass + 1}, work.count, ready, [] {}, nothing_early,
      [&](int, int slot, int token, NothingEarly, const auto& sum) {
        const int row = pass * Weights::kPassRows + slot;
        if (row < job.rows) {
          job.target.store(work.first + token, row, sum(slot / kTileRows, slot % kTileRows));
        }
      });
}

template <class Weights>
void launch_experts(const TileJob<typename Weights::Source>& job, int most_visits, cudaStream_t stream) {
  const dim3 grid(
      static_cast<unsigned>((job.rows + Weights::kPassRows - 1) / Weights::kPassRows),
      static_cast<unsigned>(most_groups(most_visits, job.visits.experts, 8 * Weights::kTokenTiles)));
  launch(expert_kernel<Weights>, grid, 32 * Weights::kWarps, sizeof(SkinnyShared<Weights>), stream, job);
}

}  // namespace pitwall::cuda
