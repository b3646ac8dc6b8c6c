// SPDX-License-Identifier: GPL-3.0-or-later
// bf16 weights in the frame of skinny.cuh. A lane 4g + t has columns 8t … 8t + 7 of both halves of a chunk,
// 16 bytes of each row: which columns meet in one multiplication is free as long as both operands agree.
#pragma once
#include "kernels/cuda/skinny.cuh"

namespace pitwall::cuda {

struct PlainSource {
  const bf16* values = nullptr;
  int rows = 0, stride = 0;
};

template <int kTokenTiles_>
struct PlainWeights {
  using Source = PlainSource;
  static constexpr int kTokenTiles = kTokenTiles_;
  struct Stage {
    uint4 upper[2], lower[2];  ///< rows g and g + 8, by half
  };
  struct Tokens {
    std::uint32_t pairs[2][kTokenTiles][4];  ///< by half
  };

  static __device__ void load(const Source& source, std::int64_t tile, int chunk, int lane, Stage& stage) {
    const std::int64_t row = tile * kTileRows + lane / 4, last = source.rows - 1;
    const bf16* upper = source.values + min(row, last) * source.stride;  // rows past the end repeat the last
    const bf16* lower = source.values + min(row + 8, last) * source.stride;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int k = chunk * kChunkColumns + 32 * h + lane % 4 * 8;
      const bool there = k < source.stride;
      stage.upper[h] = there ? load_once(upper + k) : uint4{0, 0, 0, 0};
      stage.lower[h] = there ? load_once(lower + k) : uint4{0, 0, 0, 0};
    }
  }

  static __device__ Tokens load_tokens(const LaneTokens<kTokenTiles>& in, int chunk, int lane) {
    Tokens tokens;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
      for (int n = 0; n < kTokenTiles; ++n)
        load_token<8>(in, in.rows[n], chunk * kChunkColumns + 32 * h + lane % 4 * 8, tokens.pairs[h][n]);
    }
    return tokens;
  }

  static __device__ void multiply(const Stage& stage, const Tokens& tokens, float (&sums)[kTokenTiles][4]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const uint4 a = stage.upper[h], b = stage.lower[h];
#pragma unroll
      for (int n = 0; n < kTokenTiles; ++n) {
        const std::uint32_t(&x)[4] = tokens.pairs[h][n];
        multiply_bf16(sums[n], {a.x, b.x, a.y, b.y}, x[0], x[1]);
        multiply_bf16(sums[n], {a.z, b.z, a.w, b.w}, x[2], x[3]);
      }
    }
  }
};

inline PlainSource plain_source(const DeviceMatrix& matrix) {
  return {reinterpret_cast<const bf16*>(matrix.values), matrix.rows, matrix.stride};
}

}  // namespace pitwall::cuda
