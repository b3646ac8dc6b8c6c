// SPDX-License-Identifier: GPL-3.0-or-later
// What the two kernels of sampling share: statistics of parts of the vocabulary, noise.
#pragma once
#include <cstdint>

#include "kernels/cuda/sampling.h"
#include "kernels/cuda/token_order.cuh"

namespace pitwall::cuda {

using Order = unsigned long long;  ///< of a token in its row: token_order.cuh

constexpr int kTileThreads = 256;
constexpr int kTileQuads = 4;  ///< of a thread: four neighbours each
constexpr int kTileNumbers = kTileThreads * kTileQuads * 4;
constexpr int kChunkThreads = 8;  ///< neighbours, whose quads are a chunk: one for each lane of a warp
constexpr int kTileChunks = kTileThreads / kChunkThreads;
constexpr float kNegligible = -40.0f;  ///< below the best after temperature: cannot be drawn

/// The token of a tile's quad that a thread of the scan holds.
__device__ inline int first_of_quad(int tile, int thread, int quad) {
  return tile * kTileNumbers + (quad * kTileThreads + thread) * 4;
}
/// The quad of a chunk, of all chunks of a row, that a lane takes.
__device__ inline int first_of_lane(int chunk, int lane) {
  return first_of_quad(chunk / kTileChunks, chunk % kTileChunks * kChunkThreads + lane % kChunkThreads,
                       lane / kChunkThreads);
}

/// Beyond the vocabulary there is −∞.
__device__ inline float4 load_quad(const float* row, int token, int vocabulary, bool wide) {
  if (wide && token + 4 <= vocabulary) return __ldcg(reinterpret_cast<const float4*>(row + token));
  const auto at = [&](int i) { return token + i < vocabulary ? row[token + i] : -INFINITY; };
  return make_float4(at(0), at(1), at(2), at(3));
}

/// Of one row and tile. Finite means below +∞: −∞ is a masked token.
struct TileStats {
  Order best;            ///< its best token; 0: it has none
  float sum;             ///< Σ exp(logit − largest)
  float scaled_sum;      ///< Σ exp((logit − largest)/temperature)
  std::uint32_t is_bad;  ///< NaN or +∞ found
};

/// Of one row and chunk; written where the row has a temperature.
struct ChunkStats {
  float largest;
  float scaled_sum;  ///< Σ exp((logit − largest)/temperature)
};

/// Places in the workspace.
struct SamplingWorkspace {
  std::int32_t* survivors;  ///< [rows]
  TileStats* tiles;         ///< [rows][tiles]
  ChunkStats* chunks;       ///< [rows][tiles][kTileChunks]
  int tiles_per_row;
};

/// Gumbel noise from a counter: the same for the same (seed, position, index).
class Noise {
 public:
  __device__ Noise(std::uint64_t seed, std::int32_t position)
      : base_(mixed(seed + kStep * (static_cast<std::uint64_t>(position) + 1))) {}

  __device__ float operator()(std::uint32_t index) const {
    const std::uint64_t z = mixed(base_ + kStep * (static_cast<std::uint64_t>(index) + 1));
    // −log(E) of an exponential E = −log(1 − w), which is exact where E is small and the noise large.
    const float w = fminf((static_cast<float>(static_cast<std::uint32_t>(z >> 32)) + 0.5f) * 0x1.0p-32f,
                          1.0f - 0x1.0p-24f);
    return -logf(-log1pf(-w));
  }

  // Places of the noise of what is not a token.
  static constexpr std::uint32_t kOfTiles = 0x80000000u, kOfChunks = 0x90000000u, kOfParts = 0xF0000000u;

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15u;
  /// SplitMix64 (Steele, Lea, Flood 2014)
  __device__ static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t base_;
};

__host__ __device__ inline bool keeps_some(const SlotSampling& sampling, int vocabulary) {
  return sampling.temperature > 0 &&
         ((sampling.top_k > 0 && sampling.top_k < vocabulary) || sampling.top_p < 1 || sampling.min_p > 0);
}

/// 1/temperature, finite.
__device__ inline float slope_of(const SlotSampling& sampling) {
  return fminf(1.0f / sampling.temperature, 3e38f);
}

/// The first kernel: statistics of every row.
void scan_tiles(const StepView& step, Rows32 logits, const SlotSampling* sampling, int rows,
                const SamplingWorkspace& workspace, cudaStream_t stream);

}  // namespace pitwall::cuda
