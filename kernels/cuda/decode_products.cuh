// SPDX-License-Identifier: GPL-3.0-or-later
// What decode attention multiplies for a tile of 16 tokens, one warp. Keys are the A operand and the heads of
// a group the columns of B, so that up to eight heads cost one MMA where they would be rows half empty; the
// sums of values lie the same way. Bytes are widened to float16 between shared memory and MMA: ldmatrix hands
// a lane four neighbouring numbers of a key, where 16-bit keys are two pairs eight apart, so q's columns are
// permuted the same way (query_column); a value's even and odd columns become the halves of an A fragment
// (value_column). In a fragment g = lane / 4 and t = lane % 4 (ptx.cuh).
#pragma once
#include "kernels/cuda/attention_tile.cuh"
#include "kernels/cuda/decode_plan.h"

namespace pitwall::cuda {

/// Whether multiprocessors have 228 KB of shared memory.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 900 || __CUDA_ARCH__ >= 1200)
inline constexpr bool kHasRoom = false;
#else
inline constexpr bool kHasRoom = true;
#endif

template <KvDtype kDtype, int kDim, int kHeadTiles>
struct DecodeTraits : KvNumbers<kDtype> {
  using Numbers = KvNumbers<kDtype>;
  static constexpr int kWarps = kDim > 128 ? 2 : 4;
  static constexpr int kThreads = kWarps * kLanes;
  static constexpr int kHeads = 8 * kHeadTiles;                ///< that are computed at once
  static constexpr int kChunks = kDim * Numbers::kBytes / 16;  ///< of a token's keys
  static constexpr int kHalfTile = kTileTokens * kDim * Numbers::kBytes;
  /// As much as multiprocessors have room for: bytes on their way.
  static constexpr int ring_bytes(bool has_room) {
    return (has_room ? 96 : Numbers::kIsByte ? 32 : 64) * 1024;
  }
  static constexpr int kRingBytes = ring_bytes(kHasRoom),
                       kLeastRingBytes = ring_bytes(false);  ///< of all warps
  static constexpr int kStages = kRingBytes / (kWarps * 2 * kHalfTile);
  static constexpr int kScaleBytes = Numbers::kHasTokenScales ? 2 * kTileTokens * 4 : 0;  ///< of a tile
  static constexpr int kMergeFloats = 9 * 256;
  static constexpr int kScalesAt = kRingBytes;
  static constexpr int kMergeAt = kScalesAt + kWarps * kStages * kScaleBytes;
  static constexpr int kHeadsAt = kMergeAt + kMergeFloats * 4;  ///< [warp][row]: largest, sum
  static constexpr int kSharedBytes = kHeadsAt + kWarps * kHeads * 2 * 4;
  /// Of a launch, where the device has room or has not.
  static constexpr int shared_bytes(bool has_room) {
    return kSharedBytes - kRingBytes + ring_bytes(has_room);
  }
  static constexpr int kSteps = kDim / 16;
};

/// Column of the sums of row g (below 8) and g + 8 of an A fragment made of values, in a group of 16.
template <bool kIsByte>
__device__ inline int value_column(int row) {
  return kIsByte ? row % 8 * 2 + row / 8 : row;
}
/// The first of the two columns that place (2·t + 8·half, head) of a B fragment made of q holds.
template <bool kIsByte>
__device__ inline int query_column(int half, int t) {
  return kIsByte ? 4 * t + 2 * half : 8 * half + 2 * t;
}

/// kHeadTiles: eights of heads that are computed at once. kIsFull: heads have kDim numbers, which spares the
/// loops their tests.
template <KvDtype kDtype, int kDim, int kHeadTiles, bool kIsFull>
struct DecodeProducts {
  using Traits = DecodeTraits<kDtype, kDim, kHeadTiles>;
  static constexpr bool kIsByte = Traits::kIsByte, kIsHalf = Traits::kIsHalf;

  int padded_dim;
  int lane = static_cast<int>(threadIdx.x) % kLanes;
  __device__ int steps() const { return kIsFull ? Traits::kSteps : padded_dim / 16; }  ///< of 16 columns

  /// q of heads [first_row, first_row + kHeads) of the kv head's group as B fragments, zeros beyond the
  /// group.
  struct Query {
    std::uint32_t fragments[Traits::kSteps][kHeadTiles][2];
  };
  /// From `count` heads of `dim` numbers at `from`, zeros beyond. `is_aligned`: pairs may
  /// be read at once; nothing then comes between the loads, which all are on their way together.
  __device__ void load_query(Query& q, const bf16* from, int dim, int count, bool is_aligned) const {
    const auto for_each = [&](const auto& load) {
#pragma unroll
      for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
        for (int step = 0; step < Traits::kSteps; ++step) {
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const int r = 8 * h + lane / 4, column = 16 * step + query_column<kIsByte>(half, lane % 4);
            q.fragments[step][h][half] = load(from + r * dim + column, r < count ? dim - column : 0);
          }
        }
      }
    };
    if (is_aligned) {
      for_each([](const bf16* pair, int left) {
        return left > 0 ? *reinterpret_cast<const std::uint32_t*>(pair) : 0u;
      });
    } else {
      for_each([](const bf16* pair, int left) { return load_pair(pair, left); });
    }
  }
  /// By a position's cosines, then sines, from q as products left it, of which `as` says what it is; rounded
  /// to what is multiplied.
  __device__ void turn_query(Query& q, const float* turns, const Rows16& as) const {
    constexpr int kApart = Traits::kSteps / 2;
    bool beyond = false;
    const auto hold = [&beyond](float x) {
      beyond |= fabsf(x) > kMostHalf;
      return held(x, nullptr);
    };
    const auto read = [&](std::uint32_t pair) {
      if (!as.is_half()) return bf16_floats(pair);
      const float2 two = f16_floats(pair);
      return float2{hold(two.x), hold(two.y)};
    };
    const auto write = [&](float low, float high) {
      if constexpr (kIsHalf) return pack_f16(hold(low), hold(high));
      return pack_bf16(low, high);
    };
#pragma unroll
    for (int step = 0; step < kApart; ++step) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float* at = turns + 16 * step + query_column<kIsByte>(half, lane % 4);
        const float2 cosine = __ldg(reinterpret_cast<const float2*>(at)),
                     sine = __ldg(reinterpret_cast<const float2*>(at + kDim / 2));
#pragma unroll
        for (int h = 0; h < kHeadTiles; ++h) {
          std::uint32_t &low = q.fragments[step][h][half], &high = q.fragments[step + kApart][h][half];
          const float2 a = read(low), b = read(high);
          low = write(a.x * cosine.x - b.x * sine.x, a.y * cosine.y - b.y * sine.y);
          high = write(b.x * cosine.x + a.x * sine.x, b.y * cosine.y + a.y * sine.y);
        }
      }
    }
    if (beyond && as.is_half()) atomicAdd(as.cut, 1ull);
  }

  using Scores = float[kHeadTiles][4];               ///< (token g, heads 2t and 2t + 1), (g + 8, the same)
  using Out = float[Traits::kSteps][kHeadTiles][4];  ///< (value_column(g), the heads), (… (g + 8), the same)

  /// scores = k·qᵀ of the tile's 16 tokens. Products of even and of odd steps have sums of their own: half as
  /// many wait for the one before.
  __device__ void score(Scores& scores, const Query& q, std::uint32_t keys) const {
    const auto reader = TileReader<Traits::kChunks>::rows(keys);
    Scores sums[2] = {};
    std::uint32_t a[4];
    if constexpr (kIsByte) {
      std::uint32_t bytes[4];
#pragma unroll
      for (int pair = 0; pair < Traits::kSteps / 2; ++pair) {
        if (2 * pair >= steps()) break;
        reader.load(bytes, 0, pair);
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          if (2 * pair + side >= steps()) break;
          widen<kDtype>(bytes[2 * side], a[0], a[2]);
          widen<kDtype>(bytes[2 * side + 1], a[1], a[3]);
#pragma unroll
          for (int h = 0; h < kHeadTiles; ++h) {
            const auto& b = q.fragments[2 * pair + side][h];
            multiply<kIsHalf>(sums[side][h], a, b[0], b[1]);
          }
        }
      }
    } else {
#pragma unroll
      for (int step = 0; step < Traits::kSteps; ++step) {
        if (step >= steps()) break;
        reader.load(a, 0, step);
#pragma unroll
        for (int h = 0; h < kHeadTiles; ++h)
          multiply<kIsHalf>(sums[step % 2][h], a, q.fragments[step][h][0], q.fragments[step][h][1]);
      }
    }
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
      for (int j = 0; j < 4; ++j) scores[h][j] = sums[0][h][j] + sums[1][h][j];
    }
  }

  /// out += vᵀ·p of the tile's 16 tokens.
  __device__ void gather(Out& out, const std::uint32_t (&p)[kHeadTiles][2], std::uint32_t values) const {
    std::uint32_t a[4];
    if constexpr (kIsByte) {
      const auto reader = TileReader<Traits::kChunks>::rows(values);
      std::uint32_t bytes[4];
#pragma unroll
      for (int pair = 0; pair < Traits::kSteps / 2; ++pair) {
        if (2 * pair >= steps()) break;
        reader.load_transposed(bytes, 0, pair);
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          if (2 * pair + side >= steps()) break;
#pragma unroll
          for (int half = 0; half < 2; ++half)  // tokens 2t and 2t + 1 of an even column, then of an odd one
            widen<kDtype>(__byte_perm(bytes[2 * side + half], 0, 0x3120), a[2 * half], a[2 * half + 1]);
#pragma unroll
          for (int h = 0; h < kHeadTiles; ++h)
            multiply<kIsHalf>(out[2 * pair + side][h], a, p[h][0], p[h][1]);
        }
      }
    } else {
      const auto reader = TileReader<Traits::kChunks>::keys(values);
#pragma unroll
      for (int step = 0; step < Traits::kSteps; ++step) {
        if (step >= steps()) break;
        reader.load_transposed(a, 0, step);
#pragma unroll
        for (int h = 0; h < kHeadTiles; ++h) multiply<kIsHalf>(out[step][h], a, p[h][0], p[h][1]);
      }
    }
  }

  /// What the powers of the heads 2t and 2t + 1 are relative to, and this lane's part of their sums. Scores
  /// may pass the base by kSlack before it moves: powers stay far from the largest numbers.
  struct HeadSums {
    float base[kHeadTiles][2], sum[kHeadTiles][2];
    __device__ HeadSums() {
      for (int h = 0; h < kHeadTiles; ++h) {
        for (int j = 0; j < 2; ++j) {
          base[h][j] = -kInfinity;
          sum[h][j] = 0;
        }
      }
    }
  };
  static constexpr float kSlack = Traits::kHasTokenScales ? 0 : 8;

  /// Over the eight lanes with the same heads.
  template <class Merge>
  __device__ static float over_tokens(float x, const Merge& merge) {
#pragma unroll
    for (int distance = 4; distance < kLanes; distance *= 2)
      x = merge(x, __shfl_xor_sync(0xFFFFFFFFu, x, distance));
    return x;
  }
  /// Scores of some tiles, in powers of two, become their powers.
  template <int kCount>
  __device__ void take_powers(Scores (&scores)[kCount], HeadSums& heads, Out& out) const {
    bool passes = false;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
#pragma unroll
      for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
        for (int j = 0; j < 4; ++j) passes |= scores[i][h][j] > heads.base[h][j % 2] + kSlack;
      }
    }
    if (__any_sync(0xFFFFFFFFu, passes)) {
#pragma unroll
      for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          float mine = -kInfinity;
#pragma unroll
          for (int i = 0; i < kCount; ++i) mine = fmaxf(mine, fmaxf(scores[i][h][j], scores[i][h][j + 2]));
          const float largest = over_tokens(mine, [](float a, float b) { return fmaxf(a, b); });
          const float base = fmaxf(heads.base[h][j], largest);
          const float shrink = base == -kInfinity ? 1 : power_of_two(heads.base[h][j] - base);
          heads.base[h][j] = base;
          heads.sum[h][j] *= shrink;
#pragma unroll
          for (int step = 0; step < Traits::kSteps; ++step) {
            out[step][h][j] *= shrink;
            out[step][h][j + 2] *= shrink;
          }
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
#pragma unroll
      for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const float base = heads.base[h][j % 2];
          scores[i][h][j] = power_of_two(scores[i][h][j] - (base == -kInfinity ? 0 : base));
          heads.sum[h][j % 2] += scores[i][h][j];
        }
      }
    }
  }
};

}  // namespace pitwall::cuda
