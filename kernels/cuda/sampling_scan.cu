// SPDX-License-Identifier: GPL-3.0-or-later
// The one pass over all logits: a block for each row and tile.
#include <cmath>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/sampling.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kWarps = kTileThreads / 32;

/// A thread's part of a tile.
struct Part {
  float4 quads[kTileQuads];

  template <class Body>
  __device__ void over(const Body& body) const {
#pragma unroll
    for (int quad = 0; quad < kTileQuads; ++quad) {
      body(quads[quad].x, quad, 0);
      body(quads[quad].y, quad, 1);
      body(quads[quad].z, quad, 2);
      body(quads[quad].w, quad, 3);
    }
  }
};

__device__ float over_chunk(float value) {
#pragma unroll
  for (int distance = kChunkThreads / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xFFFFFFFFu, value, distance);
  return value;
}

constexpr float kLog2E = 1.44269504f;

__device__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 2^((x − top)·slope); 0 where x is no number above −∞.
__device__ float weight(float x, float top, float slope) {
  return x > -INFINITY ? power_of_two((x - top) * slope) : 0.0f;
}

__global__ void __launch_bounds__(kTileThreads)
    scan_kernel(StepView step, Rows32 logits, const SlotSampling* sampling, SamplingWorkspace workspace,
                bool wide) {
  __shared__ TileStats of_warps[kWarps];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int index = static_cast<int>(blockIdx.x), tile = static_cast<int>(blockIdx.y);
  const int samples = __ldcg(&step.counts->samples);
  const SampleRow sample = step.samples[index];
  if (index >= samples) return;
  const float* row = logits.data + std::int64_t{sample.logit_row} * logits.stride;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;

  Part part;
#pragma unroll
  for (int quad = 0; quad < kTileQuads; ++quad)
    part.quads[quad] = load_quad(row, first_of_quad(tile, thread, quad), logits.columns, wide);
  const float temperature = sampling[sample.slot].temperature;
  const float slope = temperature > 0 ? fminf(kLog2E / temperature, 3e38f) : 0.0f;

  float largest = -INFINITY;
  int token = first_of_quad(tile, thread, 0);
  part.over([&](float logit, int quad, int i) {
    if (logit > largest) {
      largest = logit;
      token = first_of_quad(tile, thread, quad) + i;
    }
  });
  TileStats of_warp{warp_largest(token < logits.columns ? order_of(largest, token) : 0ull), 0, 0, 0};
  const float top = logit_of(of_warp.best);

  // Sums are taken relative to the largest of a chunk, so that no thread waits for another warp's.
  float of_chunk = largest;
#pragma unroll
  for (int distance = kChunkThreads / 2; distance > 0; distance /= 2)
    of_chunk = fmaxf(of_chunk, __shfl_xor_sync(0xFFFFFFFFu, of_chunk, distance));
  const std::int64_t place = std::int64_t{index} * workspace.tiles_per_row + tile;
  const float base = of_chunk > -INFINITY ? of_chunk : 0.0f;
  float sum = 0, scaled_sum = 0;
  part.over([&](float logit, int, int) { sum += power_of_two((logit - base) * kLog2E); });
  of_warp.is_bad = __ballot_sync(0xFFFFFFFFu, !(sum < INFINITY));  // NaN: a logit is none, or ∞ − ∞
  of_warp.sum = warp_sum(sum * weight(of_chunk, top, kLog2E));
  if (temperature > 0) {
    part.over([&](float logit, int, int) { scaled_sum += power_of_two((logit - base) * slope); });
    of_warp.scaled_sum = warp_sum(scaled_sum * weight(of_chunk, top, slope));
    const float chunk_sum = over_chunk(scaled_sum);
    if (lane % kChunkThreads == 0)
      workspace.chunks[place * kTileChunks + thread / kChunkThreads] = {of_chunk, chunk_sum};
  }
  if (lane == 0) of_warps[warp] = of_warp;
  __syncthreads();
  if (warp > 0) return;
  const TileStats mine = lane < kWarps ? of_warps[lane] : TileStats{};
  const Order best = warp_largest(mine.best);
  const float tile_top = logit_of(best), mine_top = lane < kWarps ? logit_of(mine.best) : -INFINITY;
  TileStats stats{best, 0, 0, __ballot_sync(0xFFFFFFFFu, mine.is_bad != 0)};
  stats.sum = warp_sum(mine.sum * weight(mine_top, tile_top, kLog2E));
  stats.scaled_sum = warp_sum(mine.scaled_sum * weight(mine_top, tile_top, slope));
  if (lane == 0) workspace.tiles[place] = stats;
}

}  // namespace

void scan_tiles(const StepView& step, Rows32 logits, const SlotSampling* sampling, int rows,
                const SamplingWorkspace& workspace, cudaStream_t stream) {
  const bool wide = reinterpret_cast<std::uintptr_t>(logits.data) % 16 == 0 && logits.stride % 4 == 0;
  launch(scan_kernel, dim3(static_cast<unsigned>(rows), static_cast<unsigned>(workspace.tiles_per_row)),
         dim3(kTileThreads), 0, stream, step, logits, sampling, workspace, wide);
}

}  // namespace pitwall::cuda
