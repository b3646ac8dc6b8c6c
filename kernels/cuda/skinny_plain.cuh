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

struct PlainWeights {
  using Source = PlainSource;
  static constexpr int kTokenTiles = 1;
  struct Stage {
    uint4 upper[2], lower[2];  ///< rows g and g + 8, by half
  };
  struct Tokens {
    std::uint32_t pairs[2][4];
  };
  struct Sums {
    float c[1][4];
  };

  static __device__ void load(const Source& source, std::int64_t tile, int chunk, int lane, Stage& stage) {
    const int g = lane / 4, last = source.rows - 1;
    const auto row = static_cast<int>(tile) * kTileRows + g;  // rows past the end repeat the last one
    const bf16* upper = source.values + std::int64_t{min(row, last)} * source.stride;
    const bf16* lower = source.values + std::int64_t{min(row + 8, last)} * source.stride;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int k = chunk * kChunkColumns + 32 * h + lane % 4 * 8;
      const bool there = k < source.stride;
      stage.upper[h] = there ? load_once(upper + k) : uint4{0, 0, 0, 0};
      stage.lower[h] = there ? load_once(lower + k) : uint4{0, 0, 0, 0};
    }
  }

  static __device__ Tokens load_tokens(const SkinnyInput& in, int chunk, int lane) {
    Tokens tokens;
#pragma unroll
    for (int h = 0; h < 2; ++h)
      load_token<8>(in, lane / 4, chunk * kChunkColumns + 32 * h + lane % 4 * 8, tokens.pairs[h]);
    return tokens;
  }

  static __device__ void multiply(const Stage& stage, const Tokens& tokens, Sums& sums) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const uint4 a = stage.upper[h], b = stage.lower[h];
      const std::uint32_t(&x)[4] = tokens.pairs[h];
      multiply_bf16(sums.c[0], {a.x, b.x, a.y, b.y}, x[0], x[1]);
      multiply_bf16(sums.c[0], {a.z, b.z, a.w, b.w}, x[2], x[3]);
    }
  }
};

inline PlainSource plain_source(const DeviceMatrix& matrix) {
  return {reinterpret_cast<const bf16*>(matrix.values), matrix.rows, matrix.stride};
}

}  // namespace pitwall::cuda
