// SPDX-License-Identifier: GPL-3.0-or-later
// What decode and prefill attention share: how tiles of q, k and v lie in shared memory, their numbers as MMA
// fragments, and the softmax over tiles. In a fragment g = lane / 4 and t = lane % 4 (ptx.cuh).
#pragma once
#include <cuda_fp8.h>

#include <limits>

#include "kernels/cuda/attention.h"
#include "kernels/cuda/number16.cuh"

namespace pitwall::cuda {

inline constexpr int kLanes = 32;
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr int kHeadRows = 16;  ///< rows of an MMA

template <KvDtype kDtype>
struct KvNumbers {
  static constexpr bool kIsByte = kDtype == KvDtype::fp8_e4m3 || kDtype == KvDtype::int8;
  static constexpr bool kHasTokenScales = kDtype == KvDtype::int8;
  static constexpr int kBytes = kIsByte ? 1 : 2;
  static constexpr bool kIsHalf = kDtype != KvDtype::bfloat16;  ///< multiplied as float16, else as bf16
};

/// P times the scale of int8 values is this much larger in float16, away from its smallest numbers; the
/// output is divided by it. A power of two.
inline constexpr float kInt8Lift = 64;

/// Byte offset of a 16-byte chunk in a tile of kChunks chunks a row. Rows are permuted so that ldmatrix,
/// which reads one chunk of eight rows, meets eight different groups of banks.
template <int kChunks>
__device__ inline int chunk_offset(int row, int chunk) {
  static_assert(kChunks >= 4 && (kChunks & (kChunks - 1)) == 0);
  const int turn = kChunks >= 8 ? row & 7 : (row >> 1) & 3;
  return (row * kChunks + (chunk ^ turn)) * 16;
}

template <bool kIsHalf>
__device__ inline std::uint32_t pack(float low, float high) {
  if constexpr (kIsHalf) return pack_f16(low, high);
  return pack_bf16(low, high);
}

/// Four bytes as float16, exactly: the lower two, the upper two.
template <KvDtype kDtype>
__device__ inline void widen(std::uint32_t bytes, std::uint32_t& low, std::uint32_t& high) {
  if constexpr (kDtype == KvDtype::fp8_e4m3) {
    widen_fp8(bytes, low, high);
  } else {
    // 0x6400 | u is 1024 + u in float16; u = number + 128.
    const std::uint32_t shifted = bytes ^ 0x80808080u;
    const __half2 offset = __half2half2(__ushort_as_half(0x6480));  // 1152
    const auto pair = [&](std::uint32_t order) {
      const std::uint32_t raised = __byte_perm(shifted, 0x64646464u, order);
      const __half2 number = __hsub2(*reinterpret_cast<const __half2*>(&raised), offset);
      return *reinterpret_cast<const std::uint32_t*>(&number);
    };
    low = pair(0x4140);
    high = pair(0x4342);
  }
}

/// Up to eight 16-bit numbers, zeros beyond `count`. `is_aligned`: 16 bytes may be read at once.
__device__ inline uint4 load_eight(const bf16* from, int count, bool is_aligned) {
  if (is_aligned && count >= 8) return *reinterpret_cast<const uint4*>(from);
  std::uint32_t words[4];
  for (int w = 0; w < 4; ++w) {
    const std::uint32_t low = 2 * w < count ? __bfloat16_as_ushort(from[2 * w]) : 0;
    const std::uint32_t high = 2 * w + 1 < count ? __bfloat16_as_ushort(from[2 * w + 1]) : 0;
    words[w] = low | high << 16;
  }
  return {words[0], words[1], words[2], words[3]};
}
/// Up to two 16-bit numbers, zeros beyond `count`.
__device__ inline std::uint32_t load_pair(const bf16* from, int count) {
  const std::uint32_t low = count > 0 ? __bfloat16_as_ushort(from[0]) : 0;
  const std::uint32_t high = count > 1 ? __bfloat16_as_ushort(from[1]) : 0;
  return low | high << 16;
}
/// How this lane reads 16×16 fragments of a tile with kChunks chunks a row, whose start is a multiple of a
/// row's bytes. A row's permutation of chunks is an exclusive or, and so is the way from one fragment's
/// columns to the next: one instruction for each.
template <int kChunks>
class TileReader {
 public:
  /// A fragments: the second matrix is eight rows down, the third eight columns on. Transposed, they are
  /// (b0, b1) of a 16-bit value's first eight columns, then of the others.
  __device__ static TileReader rows(std::uint32_t tile) {
    return TileReader(tile, matrix() & 1, matrix() >> 1);
  }
  /// (b0, b1) of the first eight 16-bit keys, then of the others.
  __device__ static TileReader keys(std::uint32_t tile) {
    return TileReader(tile, matrix() >> 1, matrix() & 1);
  }

  /// Rows [row, row + 16), row a multiple of 16, and chunks 2·step and 2·step + 1.
  __device__ void load(std::uint32_t (&out)[4], int row, int step) const {
    load_matrix_x4(out, place(row, step));
  }
  __device__ void load_transposed(std::uint32_t (&out)[4], int row, int step) const {
    load_matrix_x4_transposed(out, place(row, step));
  }

 private:
  __device__ TileReader(std::uint32_t tile, int down, int on)
      : first_(tile + chunk_offset<kChunks>(down * 8 + static_cast<int>(threadIdx.x) % 8, on)) {}
  __device__ static int matrix() { return static_cast<int>(threadIdx.x) % kLanes / 8; }
  __device__ std::uint32_t place(int row, int step) const {
    return (first_ ^ static_cast<std::uint32_t>(step * 32)) + row * kChunks * 16;
  }
  std::uint32_t first_;
};

__device__ inline float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// From q·k to powers of two: the score is capped if there is a cap, then times `factor`.
struct ScoreRule {
  float cap_in = 0;  ///< 0 = no cap
  float factor = 0;  ///< above 0
  __device__ ScoreRule(float scale, float softcap) {
    constexpr float kLog2E = 1.44269504088896341f;
    cap_in = softcap > 0 ? scale / softcap : 0;
    factor = (softcap > 0 ? softcap : scale) * kLog2E;
  }
  /// tanh(x) = 1 − 2 / (e^2x + 1)
  __device__ float capped(float score) const {
    constexpr float kTwoLog2E = 2 * 1.44269504088896341f;
    return 1 - __fdividef(2, power_of_two(kTwoLog2E * cap_in * score) + 1);
  }
};

/// Largest score and sum of powers of the two rows g and g + 8; the sum is this lane's part of it.
struct RowSums {
  float largest[2] = {-kInfinity, -kInfinity};
  float sum[2] = {0, 0};
};

/// Scores of a tile become their powers relative to the largest so far, to which the sums are brought, and
/// the output must be by `shrink`. Masked scores are −∞.
template <int kTiles>
__device__ inline void take_powers(float (&scores)[kTiles][4], RowSums& rows, float (&shrink)[2],
                                   float factor) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float largest = rows.largest[half];
#pragma unroll
    for (int n = 0; n < kTiles; ++n)
      largest = fmaxf(largest, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
    largest = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, 1));
    largest = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, 2));
    const float base = largest == -kInfinity ? 0 : largest * factor;
    shrink[half] = power_of_two(rows.largest[half] * factor - base);
    rows.largest[half] = largest;
    float sum[2] = {0, 0};
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float& score = scores[n][2 * half + j];
        score = power_of_two(fmaf(score, factor, -base));
        sum[j] += score;
      }
    }
    rows.sum[half] = rows.sum[half] * shrink[half] + (sum[0] + sum[1]);
  }
}
template <int kOut>
__device__ inline void scale_rows(float (&out)[kOut][4], const float (&shrink)[2]) {
#pragma unroll
  for (int n = 0; n < kOut; ++n) {
#pragma unroll
    for (int j = 0; j < 4; ++j) out[n][j] *= shrink[j / 2];
  }
}
/// Both.
template <int kTiles, int kOut>
__device__ inline void soften(float (&scores)[kTiles][4], RowSums& rows, float (&out)[kOut][4],
                              float factor) {
  float shrink[2];
  take_powers(scores, rows, shrink, factor);
  if (__any_sync(0xFFFFFFFFu, shrink[0] != 1 || shrink[1] != 1)) scale_rows(out, shrink);
}

/// The sums of the quad's four lanes.
__device__ inline void finish_sums(RowSums& rows) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    rows.sum[half] += __shfl_xor_sync(0xFFFFFFFFu, rows.sum[half], 1);
    rows.sum[half] += __shfl_xor_sync(0xFFFFFFFFu, rows.sum[half], 2);
  }
}

/// Powers of two n-tiles as the A fragment of 16 tokens.
template <bool kIsHalf>
__device__ inline void pack_powers(std::uint32_t (&out)[4], const float (&low)[4], const float (&high)[4]) {
  out[0] = pack<kIsHalf>(low[0], low[1]);
  out[1] = pack<kIsHalf>(low[2], low[3]);
  out[2] = pack<kIsHalf>(high[0], high[1]);
  out[3] = pack<kIsHalf>(high[2], high[3]);
}

/// Of a quad's four lanes with four words each, lane t gets word t of every lane.
__device__ inline void transpose_quad(std::uint32_t (&words)[4]) {
  const auto swap = [](std::uint32_t& low, std::uint32_t& high, int distance) {
    const bool is_upper = (threadIdx.x & static_cast<unsigned>(distance)) != 0;
    const std::uint32_t got = __shfl_xor_sync(0xFFFFFFFFu, is_upper ? low : high, distance);
    (is_upper ? low : high) = got;
  };
  swap(words[0], words[1], 1);
  swap(words[2], words[3], 1);
  swap(words[0], words[2], 2);
  swap(words[1], words[3], 2);
}
/// Columns [column, column + 8) of a row of `columns`; the row begins at a multiple of `columns`.
__device__ inline void store_eight(bf16* row, int column, int columns, const std::uint32_t (&pairs)[4]) {
  if (columns % 8 == 0) {
    if (column < columns) *reinterpret_cast<uint4*>(row + column) = {pairs[0], pairs[1], pairs[2], pairs[3]};
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (column + i < columns)
      row[column + i] = __ushort_as_bfloat16(static_cast<unsigned short>(pairs[i / 2] >> 16 * (i % 2)));
  }
}

}  // namespace pitwall::cuda
