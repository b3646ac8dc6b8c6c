// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens as byte_product.cuh takes them: a warp's columns, once for all tiles of its block.
#pragma once
#include "kernels/cuda/byte_product.cuh"

namespace pitwall::cuda {

template <class Cells>
class ByteTokens {
 public:
  using Group = typename Cells::Group;

  /// A warp's columns of all tokens. Lanes 4g + t with g = 2i and 2i + 1 have place i of a group, a slot and
  /// a token, and share its steps.
  static __device__ void prepare(const SkinnyInput& in, const std::int32_t* order, int stored,
                                 QuadRange range, Group* to) {
    constexpr int kAtOnce = 4;  // items whose loads are on their way together
    const int lane = static_cast<int>(threadIdx.x) % 32, place = lane / 8;
    const int slot = place / Cells::kTileTokens, token = place % Cells::kTileTokens;
    const int items = (range.end - range.first) * Cells::kGroups * Cells::kTokenTiles;
    const int first = range.first * Cells::kQuadColumns;
    const int my_first = first + slot * Cells::kSpan + 16 * first_step() + lane % 4 * 4;
    const LaneTokens<1> tokens{{}, order, in.x.columns, stored, in.aligned};
    using Pairs = std::uint32_t[kMySteps][2];
    const auto load = [&](bool straight, int item, Pairs& pairs) {
      const int column = my_first + item / Cells::kTokenTiles * Cells::kGroupColumns;
      const std::int64_t row = min(4 * (item % Cells::kTokenTiles) + token, in.rows - 1);
#pragma unroll
      for (int s = 0; s < kMySteps; ++s)
        load_token<4>(tokens, straight, in.x.data + row * in.x.stride, column + 32 * s, pairs[s]);
    };
    const auto put_item = [&](int item, const Pairs& pairs) {
      put(pairs, to[item / Cells::kTokenTiles], item % Cells::kTokenTiles);
    };
    if (tokens.straight(first, range.end * Cells::kQuadColumns - first)) {
#pragma unroll 1
      for (int base = 0; base < items; base += kAtOnce) {
        const auto item = [&](int i) { return min(base + i, items - 1); };  // the last one perhaps twice
        Pairs pairs[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          if (base + i / 2 * 2 < items) load(true, item(i), pairs[i]);
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; i += 2) {
          if (base + i >= items) continue;
          put_item(item(i), pairs[i]);
          put_item(item(i + 1), pairs[i + 1]);
        }
      }
    } else {
#pragma unroll 1
      for (int item = 0; item < items; ++item) {
        Pairs pairs;
        load(false, item, pairs);
        put_item(item, pairs);
      }
    }
    __syncwarp();
  }

 private:
  static constexpr int kSteps = Cells::kSteps, kAllSteps = Cells::kProducts * kSteps;
  static constexpr bool kShared = kAllSteps > 1;
  static constexpr int kMySteps = kShared ? kAllSteps / 2 : 1;  ///< every other one
  static __device__ int first_step() {
    return kShared ? static_cast<int>(threadIdx.x) / 4 % 2 : 0;
  }

  static __device__ void put(const std::uint32_t (&pairs)[kMySteps][2], Group& to, int tile) {
    constexpr std::uint32_t kSizes = 0x7FFF7FFFu, kAll = 0xFFFFFFFFu;
    // A sum with a whole number has it in its lowest bits; 128 more leave the low byte's sign behind.
    constexpr float kLarge = 0x1.8p23f + 128;
    const int lane = static_cast<int>(threadIdx.x) % 32, t = lane % 4, place = lane / 8;
    std::uint32_t largest = 0;
#pragma unroll
    for (int s = 0; s < kMySteps; ++s)
      largest = __vmaxu2(largest, __vmaxu2(pairs[s][0] & kSizes, pairs[s][1] & kSizes));
#pragma unroll
    for (int distance = 1; distance <= (kShared ? 4 : 2); distance *= 2)
      largest = __vmaxu2(largest, __shfl_xor_sync(kAll, largest, distance));
    // The biased exponent, where all powers here are normal.
    const std::uint32_t field = max(max(largest & 0xFFFFu, largest >> 16) >> 7, 20u);
    const float unit = field == 255 ? __uint_as_float(0x7FC00000u) : __uint_as_float((field - 13) << 23);
    const float inverse = __uint_as_float((254 - (field - 13)) << 23);
    std::uint32_t sum = 0;
#pragma unroll
    for (int s = 0; s < kMySteps; ++s) {
      std::uint32_t v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t pair = pairs[s][i / 2];
        const float x = __uint_as_float(i % 2 == 0 ? pair << 16 : pair & 0xFFFF0000u);
        v[i] = __float_as_uint(fmaf(x, inverse, kLarge));
      }
      sum += v[0] + v[1] + (v[2] + v[3]) - 4 * __float_as_uint(kLarge);
      // Columns 4t, 4t + 2, 4t + 1, 4t + 3, as codes lie in their word: the low bytes, then the high ones.
      const std::uint32_t even = __byte_perm(v[0], v[2], 0x5140), odd = __byte_perm(v[1], v[3], 0x5140);
      std::uint32_t(&bytes)[32][kSteps] = to.bytes[tile][s];
      bytes[8 * place + t][first_step()] = __byte_perm(even, odd, 0x7632);
      bytes[8 * place + 4 + t][first_step()] = __byte_perm(even, odd, 0x5410) ^ 0x80808080u;
    }
#pragma unroll
    for (int distance = 1; distance <= (kShared ? 4 : 2); distance *= 2)
      sum += __shfl_xor_sync(kAll, sum, distance);
    if (lane % 8 == 0) to.spans[tile][place] = {unit, static_cast<float>(static_cast<int>(sum))};
  }
};

}  // namespace pitwall::cuda
