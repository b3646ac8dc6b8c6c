// SPDX-License-Identifier: GPL-3.0-or-later
// What the two kernels of sampling share: statistics of a tile of the vocabulary, noise.
#pragma once
#include <cstdint>

#include "kernels/cuda/sampling.h"
#include "kernels/cuda/token_order.cuh"

namespace pitwall::cuda {

constexpr int kTileThreads = 256;
constexpr int kTileNumbers = 8192;
constexpr int kTileChunks = kTileThreads / 4;  ///< of 128 numbers each

/// Of one row and tile. Finite means below +∞: −∞ is a masked token.
struct TileStats {
  unsigned long long best;  ///< order of its best token; 0: it has none
  float sum;                ///< Σ exp(logit − largest)
  float scaled_sum;         ///< Σ exp((logit − largest)/temperature)
  std::uint32_t is_bad;     ///< NaN or +∞ found
};

/// Places in the workspace.
struct SamplingWorkspace {
  std::int32_t* survivors;  ///< [rows]
  TileStats* tiles;         ///< [rows][tiles]
  float* chunks;            ///< [rows][tiles][kTileChunks]: the largest logits of parts of the tile
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

/// The first kernel: TileStats and chunks of every row.
void scan_tiles(const StepView& step, Rows32 logits, const SlotSampling* sampling, int rows,
                const SamplingWorkspace& workspace, cudaStream_t stream);

}  // namespace pitwall::cuda
