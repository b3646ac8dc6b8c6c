// SPDX-License-Identifier: GPL-3.0-or-later
// What the two kernels of sampling share: statistics of a tile of the vocabulary, the order of tokens, noise.
#pragma once
#include <cstdint>

#include "kernels/cuda/sampling.h"

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

/// Larger for larger logits, and among equal ones for lower ids; never 0 for a number.
__device__ inline std::uint32_t key_of(float logit) {
  const std::uint32_t bits = __float_as_uint(logit + 0.0f);  // −0 becomes 0
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
__device__ inline float logit_of_key(std::uint32_t key) {
  return __uint_as_float((key & 0x80000000u) != 0 ? key & 0x7FFFFFFFu : ~key);
}
__device__ inline unsigned long long order_of(float logit, int token) {
  return static_cast<unsigned long long>(key_of(logit)) << 32 | ~static_cast<std::uint32_t>(token);
}
__device__ inline float logit_of(unsigned long long order) {
  return logit_of_key(static_cast<std::uint32_t>(order >> 32));
}
__device__ inline int token_of(unsigned long long order) {
  return static_cast<int>(~static_cast<std::uint32_t>(order));
}

__device__ inline unsigned long long warp_largest(unsigned long long value) {
  const auto high = static_cast<std::uint32_t>(value >> 32), low = static_cast<std::uint32_t>(value);
  const std::uint32_t highest = __reduce_max_sync(0xFFFFFFFFu, high);
  const std::uint32_t lowest = __reduce_max_sync(0xFFFFFFFFu, high == highest ? low : 0u);
  return static_cast<unsigned long long>(highest) << 32 | lowest;
}

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
