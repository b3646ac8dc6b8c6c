// SPDX-License-Identifier: GPL-3.0-or-later
// The one pass over all logits: a block for each row and tile.
#include <cmath>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/sampling.cuh"

namespace pitwall::cuda {

namespace {

constexpr int kQuads = kTileNumbers / kTileThreads / 4;
constexpr int kWarps = kTileThreads / 32;

/// A thread's part of a tile.
struct Part {
  float4 quads[kQuads];
  __device__ static int first_token(int tile, int quad) {
    return tile * kTileNumbers + (quad * kTileThreads + static_cast<int>(threadIdx.x)) * 4;
  }
};

__device__ float4 load_quad(const float* row, int token, int vocabulary, bool wide) {
  if (wide && token + 4 <= vocabulary) return __ldcg(reinterpret_cast<const float4*>(row + token));
  const auto at = [&](int i) { return token + i < vocabulary ? row[token + i] : -INFINITY; };
  return make_float4(at(0), at(1), at(2), at(3));
}

template <class Body>
__device__ void over(const Part& part, int tile, const Body& body) {
#pragma unroll
  for (int quad = 0; quad < kQuads; ++quad) {
    const int token = Part::first_token(tile, quad);
    body(part.quads[quad].x, token);
    body(part.quads[quad].y, token + 1);
    body(part.quads[quad].z, token + 2);
    body(part.quads[quad].w, token + 3);
  }
}

__global__ void __launch_bounds__(kTileThreads)
    scan_kernel(StepView step, Rows32 logits, const SlotSampling* sampling, SamplingWorkspace workspace,
                bool wide) {
  __shared__ unsigned long long bests[kWarps];
  __shared__ float sums[kWarps], scaled_sums[kWarps];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int index = static_cast<int>(blockIdx.x), tile = static_cast<int>(blockIdx.y);
  if (index >= step.counts->samples) return;
  const SampleRow sample = step.samples[index];
  const SlotSampling wanted = sampling[sample.slot];
  const float* row = logits.data + std::int64_t{sample.logit_row} * logits.stride;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;

  Part part;
#pragma unroll
  for (int quad = 0; quad < kQuads; ++quad)
    part.quads[quad] = load_quad(row, Part::first_token(tile, quad), logits.columns, wide);

  float largest = -INFINITY;
  int token = Part::first_token(tile, 0);
  bool bad = false;
  over(part, tile, [&](float logit, int id) {
    bad = bad || !(logit < INFINITY);
    if (logit > largest) {
      largest = logit;
      token = id;
    }
  });
  const std::int64_t place = std::int64_t{index} * workspace.tiles_per_row + tile;
  if (keeps_some(wanted, logits.columns)) {
    float of_chunk = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, 1));
    of_chunk = fmaxf(of_chunk, __shfl_xor_sync(0xFFFFFFFFu, of_chunk, 2));
    if (threadIdx.x % 4 == 0) workspace.chunks[place * kTileChunks + threadIdx.x / 4] = of_chunk;
  }

  const unsigned long long of_warp = warp_largest(token < logits.columns ? order_of(largest, token) : 0ull);
  if (lane == 0) bests[warp] = of_warp;
  const bool any_bad = __syncthreads_or(bad) != 0;
  unsigned long long best = bests[0];
#pragma unroll
  for (int i = 1; i < kWarps; ++i) best = max(best, bests[i]);
  const float top = logit_of(best);

  float sum = 0, scaled_sum = 0;
  if (top > -INFINITY) {
    over(part, tile, [&](float logit, int) { sum += __expf(logit - top); });
    if (wanted.temperature > 0) {
      const float slope = slope_of(wanted);
      over(part, tile, [&](float logit, int) { scaled_sum += __expf((logit - top) * slope); });
    }
  }
  sum = warp_sum(sum);
  scaled_sum = warp_sum(scaled_sum);
  if (lane == 0) {
    sums[warp] = sum;
    scaled_sums[warp] = scaled_sum;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  TileStats stats{best, 0, 0, any_bad ? 1u : 0u};
#pragma unroll
  for (int i = 0; i < kWarps; ++i) {
    stats.sum += sums[i];
    stats.scaled_sum += scaled_sums[i];
  }
  workspace.tiles[place] = stats;
}

}  // namespace

void scan_tiles(const StepView& step, Rows32 logits, const SlotSampling* sampling, int rows,
                const SamplingWorkspace& workspace, cudaStream_t stream) {
  const bool wide = reinterpret_cast<std::uintptr_t>(logits.data) % 16 == 0 && logits.stride % 4 == 0;
  launch(scan_kernel, dim3(static_cast<unsigned>(rows), static_cast<unsigned>(workspace.tiles_per_row)),
         dim3(kTileThreads), 0, stream, step, logits, sampling, workspace, wide);
}

}  // namespace pitwall::cuda
