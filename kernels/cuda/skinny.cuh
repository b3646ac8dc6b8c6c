// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of products with few tokens. A block has 16 rows of a weight and all its columns: eight warps
// take chunks of 64 columns in turn, weights as the 16-row operand, eight tokens (or twice eight) as the
// other, and their sums are added up in the order of the warps. The weights of the first stages are on their
// way before the kernel ahead has ended. What differs between plain and quantised weights is `Weights`:
//
//   kTokenTiles                          eights of tokens
//   Source                               what it reads, by value
//   Stage, load(source, tile, chunk, lane, stage)          a lane's part of a chunk, in registers
//   Tokens, load_tokens(in, chunk, lane)                   its part of the tokens' columns
//   multiply(stage, tokens, sums)        onto sums[token tile], the four numbers of multiply_bf16()
#pragma once
#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/skinny_parts.h"

namespace pitwall::cuda {

inline constexpr int kSkinnyWarps = 8, kSkinnyThreads = 32 * kSkinnyWarps;
inline constexpr int kSkinnyOutputs = 4;
inline constexpr int kTileRows = 16, kChunkColumns = 64;

/// The tokens that a lane has of the second operand: 4g + t has g, and g + 8 of two token tiles.
template <int kTokenTiles>
struct LaneTokens {
  const bf16* rows[kTokenTiles];  ///< null: there is none, its numbers are zero
  const std::int32_t* order;      ///< column of x of each stored column; null: the same
  int columns;
  bool aligned;
};

/// kCount (4 or 8) numbers of one token from stored column `k` on; zeros past the ends.
template <int kCount, int kTokenTiles>
__device__ inline void load_token(const LaneTokens<kTokenTiles>& in, const bf16* row, int k,
                                  std::uint32_t (&out)[kCount / 2]) {
  for (std::uint32_t& pair : out) pair = 0;
  if (row == nullptr) return;
  if (in.order == nullptr && in.aligned && k + kCount <= in.columns) {
    if constexpr (kCount == 8) {
      const uint4 eight = *reinterpret_cast<const uint4*>(row + k);
      out[0] = eight.x, out[1] = eight.y, out[2] = eight.z, out[3] = eight.w;
    } else {
      const uint2 four = *reinterpret_cast<const uint2*>(row + k);
      out[0] = four.x, out[1] = four.y;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const int column = in.order != nullptr ? in.order[k + i] : k + i;
    if (column < 0 || column >= in.columns) continue;
    out[i / 2] |= static_cast<std::uint32_t>(__bfloat16_as_ushort(row[column])) << (i % 2 * 16);
  }
}

/// Of rows 0, 1 … of x.
template <int kTokenTiles>
__device__ inline LaneTokens<kTokenTiles> lane_tokens(const SkinnyInput& in) {
  LaneTokens<kTokenTiles> tokens{{}, nullptr, in.x.columns, in.aligned};
#pragma unroll
  for (int n = 0; n < kTokenTiles; ++n) {
    const int token = static_cast<int>(threadIdx.x) % 32 / 4 + 8 * n;
    if (token < in.rows) tokens.rows[n] = in.x.data + std::int64_t{token} * in.x.stride;
  }
  return tokens;
}

/// Where the sums of one weight go.
struct SkinnyTarget {
  Rows16 out16;
  Rows32 out32;
  const float* bias = nullptr;
  Rows32 residual;
  float scale = 1;
  int rows = 0;  ///< of the weight

  __device__ void store(int token, int row, float sum) const {
    if (bias != nullptr) sum += bias[row];
    sum *= scale;
    if (residual.data != nullptr) sum += residual.data[std::int64_t{token} * residual.stride + row];
    if (out32.data != nullptr) {
      out32.data[std::int64_t{token} * out32.stride + row] = sum;
    } else {
      out16.data[std::int64_t{token} * out16.stride + row] = __float2bfloat16(sum);
    }
  }
};

inline SkinnyTarget skinny_target(const SkinnyOutput& output) {
  return {output.out16, output.out32, output.bias, output.residual, output.scale, output.weight.rows};
}

template <class Source>
struct SkinnyJobs {
  Source sources[kSkinnyOutputs];
  SkinnyTarget targets[kSkinnyOutputs];
  const std::int32_t* orders[kSkinnyOutputs];
  int first_tile[kSkinnyOutputs + 1];
  int chunks = 0;
  SkinnyInput in;
};

/// Sums of a block's warps, [warp][row][token].
template <int kTokenTiles>
using WarpSums = float[kSkinnyWarps][kTileRows][8 * kTokenTiles + 1];

/// All chunks of the lane's warp, of the same tile of every matrix, into `sums`. Weights that do not depend
/// on the kernel ahead are on their way before `ready`, which waits for it, gives the tokens.
template <class Weights, int kMatrices, int kStages, class Ready>
__device__ inline void skinny_sums(const typename Weights::Source* const (&sources)[kMatrices],
                                   const std::int32_t* const (&orders)[kMatrices], std::int64_t tile,
                                   int chunks, const Ready& ready,
                                   float (&sums)[kMatrices][Weights::kTokenTiles][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  typename Weights::Stage stages[kStages][kMatrices];
#pragma unroll
  for (int s = 0; s < kStages; ++s) {
    const int chunk = warp + kSkinnyWarps * s;
    if (chunk >= chunks) continue;
#pragma unroll
    for (int m = 0; m < kMatrices; ++m) Weights::load(*sources[m], tile, chunk, lane, stages[s][m]);
  }
  LaneTokens<Weights::kTokenTiles> in = ready();
  for (int first = warp; first < chunks; first += kSkinnyWarps * kStages) {
#pragma unroll
    for (int s = 0; s < kStages; ++s) {
      const int chunk = first + kSkinnyWarps * s, next = chunk + kSkinnyWarps * kStages;
      if (chunk >= chunks) continue;
      typename Weights::Tokens tokens;
#pragma unroll
      for (int m = 0; m < kMatrices; ++m) {
        if (m == 0 || orders[m] != orders[0]) {
          in.order = orders[m];
          tokens = Weights::load_tokens(in, chunk, lane);
        }
        Weights::multiply(stages[s][m], tokens, sums[m]);
        if (next < chunks) Weights::load(*sources[m], tile, next, lane, stages[s][m]);
      }
    }
  }
}

template <int kTokenTiles>
__device__ inline void put_sums(const float (&sums)[kTokenTiles][4],
                                float (&of_warp)[kTileRows][8 * kTokenTiles + 1]) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int n = 0; n < kTokenTiles; ++n) {
#pragma unroll
    for (int i = 0; i < 4; ++i) of_warp[g + i / 2 * 8][8 * n + 2 * t + i % 2] = sums[n][i];
  }
}
template <int kTokenTiles>
__device__ inline float take_sum(const WarpSums<kTokenTiles>& sums, int row, int token) {
  float sum = 0;
#pragma unroll
  for (int warp = 0; warp < kSkinnyWarps; ++warp) sum += sums[warp][row][token];
  return sum;
}

template <class Weights, int kStages>
__global__ void __launch_bounds__(kSkinnyThreads, 2)
    skinny_kernel(const __grid_constant__ SkinnyJobs<typename Weights::Source> jobs) {
  constexpr int kTokens = 8 * Weights::kTokenTiles;
  __shared__ WarpSums<Weights::kTokenTiles> shared;
  const auto block = static_cast<int>(blockIdx.x);
  int job = 0;
  while (block >= jobs.first_tile[job + 1]) ++job;
  const int tile = block - jobs.first_tile[job];
  const auto ready = [&] {
    wait_for_kernel_ahead();
    let_next_kernel_start();
    return lane_tokens<Weights::kTokenTiles>(jobs.in);
  };
  float sums[1][Weights::kTokenTiles][4] = {};
  skinny_sums<Weights, 1, kStages>({&jobs.sources[job]}, {jobs.orders[job]}, tile, jobs.chunks, ready, sums);
  put_sums<Weights::kTokenTiles>(sums[0], shared[threadIdx.x / 32]);
  __syncthreads();
  for (int i = threadIdx.x; i < kTileRows * kTokens; i += kSkinnyThreads) {
    const int token = i / kTileRows, row = tile * kTileRows + i % kTileRows;
    if (token < jobs.in.rows && row < jobs.targets[job].rows)
      jobs.targets[job].store(token, row, take_sum<Weights::kTokenTiles>(shared, i % kTileRows, token));
  }
}

template <class Source>
struct GatedJob {
  Source gate, up;
  Activation activation;
  Rows16 out;
  int rows = 0, chunks = 0;
  SkinnyInput in;
  const std::int32_t* orders[2];
};

template <class Weights, int kStages>
__global__ void __launch_bounds__(kSkinnyThreads, 2)
    gated_kernel(const __grid_constant__ GatedJob<typename Weights::Source> job) {
  constexpr int kTokens = 8 * Weights::kTokenTiles;
  __shared__ WarpSums<Weights::kTokenTiles> shared[2];
  const auto tile = static_cast<int>(blockIdx.x);
  const auto ready = [&] {
    wait_for_kernel_ahead();
    let_next_kernel_start();
    return lane_tokens<Weights::kTokenTiles>(job.in);
  };
  float sums[2][Weights::kTokenTiles][4] = {};
  skinny_sums<Weights, 2, kStages>({&job.gate, &job.up}, {job.orders[0], job.orders[1]}, tile, job.chunks,
                                   ready, sums);
#pragma unroll
  for (int m = 0; m < 2; ++m) put_sums<Weights::kTokenTiles>(sums[m], shared[m][threadIdx.x / 32]);
  __syncthreads();
  for (int i = threadIdx.x; i < kTileRows * kTokens; i += kSkinnyThreads) {
    const int token = i / kTileRows, row = tile * kTileRows + i % kTileRows;
    if (token >= job.in.rows || row >= job.rows) continue;
    const float gate = take_sum<Weights::kTokenTiles>(shared[0], i % kTileRows, token);
    const float up = take_sum<Weights::kTokenTiles>(shared[1], i % kTileRows, token);
    job.out.data[std::int64_t{token} * job.out.stride + row] =
        __float2bfloat16(activated(gate, job.activation) * up);
  }
}

inline int skinny_chunks(const DeviceMatrix& weight) {
  return (weight.stride + kChunkColumns - 1) / kChunkColumns;
}
inline unsigned skinny_tiles(const DeviceMatrix& weight) {
  return static_cast<unsigned>((weight.rows + kTileRows - 1) / kTileRows);
}

/// The parts that a launch has of the outputs' weights, `source` of each.
template <class Weights, int kStages, class MakeSource>
void launch_skinny(const SkinnyInput& in, const SkinnyOutput* outputs, int count, const MakeSource& source,
                   cudaStream_t stream) {
  SkinnyJobs<typename Weights::Source> jobs{};
  jobs.in = in;
  jobs.chunks = skinny_chunks(outputs[0].weight);
  for (int i = 0; i < kSkinnyOutputs; ++i) {
    jobs.first_tile[i + 1] = jobs.first_tile[i];
    if (i >= count) continue;
    const SkinnyOutput& from = outputs[i];
    jobs.first_tile[i + 1] += static_cast<int>(skinny_tiles(from.weight));
    jobs.sources[i] = source(from.weight);
    jobs.targets[i] = skinny_target(from);
    jobs.orders[i] = from.weight.order;
  }
  launch(skinny_kernel<Weights, kStages>, static_cast<unsigned>(jobs.first_tile[count]), kSkinnyThreads, 0,
         stream, jobs);
}

template <class Weights, int kStages, class MakeSource>
void launch_gated(const SkinnyInput& in, const GatedMlp& mlp, const MakeSource& source, cudaStream_t stream) {
  const GatedJob<typename Weights::Source> job{.gate = source(mlp.gate),
                                               .up = source(mlp.up),
                                               .activation = mlp.activation,
                                               .out = mlp.out,
                                               .rows = mlp.gate.rows,
                                               .chunks = skinny_chunks(mlp.gate),
                                               .in = in,
                                               .orders = {mlp.gate.order, mlp.up.order}};
  launch(gated_kernel<Weights, kStages>, skinny_tiles(mlp.gate), kSkinnyThreads, 0, stream, job);
}

}  // namespace pitwall::cuda
