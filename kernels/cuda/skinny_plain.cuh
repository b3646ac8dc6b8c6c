// SPDX-License-Identifier: GPL-3.0-or-later
// 16-bit weights in the frame of skinny.cuh: bf16 or float16, as the tokens. A lane 4g + t has columns 8t …
// 8t + 7 of each 32, 16 bytes of each row: which columns meet in one multiplication is free as long as both
// operands agree.
#pragma once
#include "kernels/cuda/skinny.cuh"

namespace pitwall::cuda {

struct PlainSource {
  const bf16* values = nullptr;
  int rows = 0, stride = 0;
};

/// How a block is made up. Kept: the tokens' chunks of each warp, as many as so many registers hold.
template <int kWarps_, int kStages_, int kBlocks_, int kKept_ = 0>
struct PlainFrame {
  static constexpr int kWarps = kWarps_, kStages = kStages_, kBlocks = kBlocks_, kKept = kKept_;
};
/// Two blocks of these on a multiprocessor want 228 KB of shared memory there: more in flight, and what is
/// left of the first cache holds little, so that gated products, whose many passes read the same tokens, keep
/// them in registers.
using LargeFrame = PlainFrame<16, 3, 2>;
using KeptFrame = PlainFrame<8, 5, 2, 8>;
using SmallFrame = PlainFrame<16, 2, 2>;
using PairFrame = PlainFrame<8, 3, 3>;  ///< of two token tiles

/// Gated: the first half of a pass's tile rows are the gate's, the others those of what it gates.
template <bool kIsHalf, int kTokenTiles_, class Frame, bool kGated = false>
struct PlainWeights {
  using Source = PlainSource;
  static constexpr int kTokenTiles = kTokenTiles_, kTiles = 1;
  static constexpr int kWarps = Frame::kWarps, kBlocks = Frame::kBlocks, kStages = Frame::kStages,
                       kKept = Frame::kKept;
  static constexpr bool kOnePass = false;
  static constexpr int kPassRows = kTiles * kTileRows / (kGated ? 2 : 1);
  static constexpr int kColumns = 64, kHalves = kColumns / 32;
  static constexpr int kRowBytes = 2 * kColumns, kStageBytes = kTiles * kTileRows * kRowBytes;
  struct Tokens {
    std::uint32_t pairs[kHalves][kTokenTiles][4];
  };

  /// A lane copies 16 bytes of tile rows l / 8, l / 8 + 4 …
  struct Lane {
    const bf16* values[kGated ? 2 : 1];  ///< from the lane's first row on, at its columns
    int rows;                            ///< that there are from there on
  };
  template <class Matrices>
  static __device__ Lane aim(const Matrices& matrices, int pass) {
    const int owner = kGated ? 0 : matrices.owner(pass), lane = static_cast<int>(threadIdx.x) % 32;
    const int row = (pass - matrices.first_pass[owner]) * kPassRows + lane / 8;
    Lane from;
#pragma unroll
    for (int i = 0; i < (kGated ? 2 : 1); ++i)
      from.values[i] =
          matrices.sources[owner + i].values + std::int64_t{row} * matrices.stride + lane % 8 * 8;
    from.rows = matrices.sources[owner].rows - row;
    return from;
  }

  /// Halves of odd rows change places, so that two rows side by side meet no bank twice.
  static __device__ int place_of(int row, int sixteenth) {
    return row * kRowBytes + (sixteenth ^ (row % 2 * 4)) * 16;
  }

  template <class Matrices>
  static __device__ void fill(const Lane& from, const Matrices& matrices, int chunk, std::uint32_t stage) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const bool inside = chunk * kColumns + lane % 8 * 8 < matrices.stride;
#pragma unroll
    for (int i = 0; i < kTiles * kTileRows; i += 4) {
      const bool there = inside && i % kPassRows < from.rows;
      const bf16* place = from.values[i / kPassRows] + i % kPassRows * matrices.stride + chunk * kColumns;
      copy_async_16(stage + place_of(lane / 8 + i, lane % 8), there ? place : matrices.sources[0].values,
                    there ? 16 : 0);
    }
  }

  static __device__ Tokens load_tokens(const LaneTokens<kTokenTiles>& in, int chunk) {
    Tokens tokens;
    const auto load = [&](bool straight) {
#pragma unroll
      for (int h = 0; h < kHalves; ++h) {
#pragma unroll
        for (int n = 0; n < kTokenTiles; ++n) {
          const int k = chunk * kColumns + 32 * h + static_cast<int>(threadIdx.x) % 4 * 8;
          load_token<8>(in, straight, in.rows[n], k, tokens.pairs[h][n]);
        }
      }
    };
    if (in.straight(chunk * kColumns, kColumns)) {
      load(true);
    } else {
      load(false);
    }
    return tokens;
  }

  template <class Matrices>
  static __device__ void multiply(const Matrices& /*matrices*/, int /*owner*/, int /*chunk*/,
                                  const unsigned char* stage, const LaneTokens<kTokenTiles>& /*in*/,
                                  const Tokens& tokens, float (&sums)[kTiles][kTokenTiles][4]) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
#pragma unroll
      for (int m = 0; m < kTiles; ++m) {
        const int row = kTileRows * m + g;
        const uint4 a = *reinterpret_cast<const uint4*>(stage + place_of(row, 4 * h + t));
        const uint4 b = *reinterpret_cast<const uint4*>(stage + place_of(row + 8, 4 * h + t));
#pragma unroll
        for (int n = 0; n < kTokenTiles; ++n) {
          const std::uint32_t(&x)[4] = tokens.pairs[h][n];
          cuda::multiply<kIsHalf>(sums[m][n], {a.x, b.x, a.y, b.y}, x[0], x[1]);
          cuda::multiply<kIsHalf>(sums[m][n], {a.z, b.z, a.w, b.w}, x[2], x[3]);
        }
      }
    }
  }
};

inline PlainSource plain_source(const DeviceMatrix& matrix) {
  return {reinterpret_cast<const bf16*>(matrix.values), matrix.rows, matrix.stride};
}

}  // namespace pitwall::cuda
