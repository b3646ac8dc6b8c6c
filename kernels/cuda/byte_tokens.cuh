// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens as byte_product.cuh takes them: a warp's columns, once for all tiles of its block.
#pragma once
#include "kernels/cuda/byte_product.cuh"

namespace pitwall::cuda {

/// Of one warp. Items are a group's columns of one tile of tokens; where x lies as the weights' columns do,
/// its numbers come to their item's place first, and the item is made of them when it is needed.
template <class Cells>
class ByteTokens {
 public:
  using Group = typename Cells::Group;

  /// Sends for the columns of `range`. Lanes 4g + t with g = 2i and 2i + 1 have place i of a group, a slot
  /// and a token, and share its steps.
  __device__ ByteTokens(const SkinnyInput& in, const std::int32_t* order, int stored, QuadRange range,
                        Group* groups)
      : groups_(groups), half_(in.x.is_half()) {
    const int items = (range.end - range.first) * kQuadItems, first = range.first * Cells::kQuadColumns;
    const LaneTokens<1> tokens{{}, order, in.x.columns, stored, in.aligned};
    const auto row = [&in](int item, int place) {
      const int token = min(4 * (item % Cells::kTokenTiles) + place % Cells::kTileTokens, in.rows - 1);
      return in.x.data + std::int64_t{token} * in.x.stride;
    };
    const auto column = [first](int item, int place) {
      return first + item / Cells::kTokenTiles * Cells::kGroupColumns +
             place / Cells::kTileTokens * Cells::kSpan;
    };
    waits_ = tokens.straight(first, range.end * Cells::kQuadColumns - first);
    if (waits_) {
      constexpr int kUnits = sizeof(Group::bytes[0]) / 16, kPlaceUnits = kUnits / 4;
      for (int i = lane(); i < items * kUnits; i += 32) {
        const int item = i / kUnits, unit = i % kUnits, place = unit / kPlaceUnits;
        copy_async_16(shared_address(bytes(item)) + unit * 16,
                      row(item, place) + column(item, place) + unit % kPlaceUnits * 8);
      }
      copy_async_commit();
      return;
    }
#pragma unroll 1
    for (int item = 0; item < items; ++item) {
      const int place = lane() / 8;
      Pairs pairs;
#pragma unroll
      for (int s = 0; s < kMySteps; ++s)
        load_token<4>(tokens, false, row(item, place), column(item, place) + first_column() + 32 * s,
                      pairs[s]);
      put(item, pairs);
    }
    __syncwarp();
  }

  /// Makes the items of `count` quads from `first` of the warp's on.
  __device__ void make(int first, int count) {
    if (!waits_) return;
    if (first == 0) {
      copy_async_wait<0>();
      __syncwarp();
    }
    const int end = (first + count) * kQuadItems;
#pragma unroll 1
    for (int base = first * kQuadItems; base < end; base += kAtOnce) {
      const auto item = [&](int i) { return min(base + i, end - 1); };  // the last one perhaps twice
      Pairs pairs[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const std::byte* from = bytes(item(i)) + (lane() / 8 * Cells::kSpan + first_column()) * 2;
#pragma unroll
        for (int s = 0; s < kMySteps; ++s) {
          const uint2 four = *reinterpret_cast<const uint2*>(from + 64 * s);
          pairs[i][s][0] = four.x, pairs[i][s][1] = four.y;
        }
      }
      __syncwarp();
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) put(item(i), pairs[i]);
      if constexpr (kAtOnce > 1) __syncwarp();
    }
    __syncwarp();
  }

 private:
  static constexpr int kSteps = Cells::kSteps, kAllSteps = Cells::kProducts * kSteps;
  static constexpr bool kShared = kAllSteps > 1;
  static constexpr int kMySteps = kShared ? kAllSteps / 2 : 1;  ///< every other one
  static constexpr int kQuadItems = Cells::kGroups * Cells::kTokenTiles;
  static constexpr int kAtOnce = kMySteps == 1 ? 2 : 1;
  using Pairs = std::uint32_t[kMySteps][2];

  static __device__ int lane() {
    return static_cast<int>(threadIdx.x) % 32;
  }
  static __device__ int first_step() {
    return kShared ? lane() / 4 % 2 : 0;
  }
  static __device__ int first_column() {
    return 16 * first_step() + lane() % 4 * 4;
  }  ///< in a span
  __device__ std::byte* bytes(int item) const {
    return reinterpret_cast<std::byte*>(groups_[item / Cells::kTokenTiles].bytes[item % Cells::kTokenTiles]);
  }

  /// Of float16 bits without their sign, as float32 has it.
  static __device__ std::uint32_t half_exponent(std::uint32_t bits) {
    const std::uint32_t exponent = bits >> 10;
    return exponent == 31 ? 255 : max(exponent, 1u) + 127 - 15;
  }

  __device__ void put(int item, const Pairs& pairs) {
    constexpr std::uint32_t kSizes = 0x7FFF7FFFu, kAll = 0xFFFFFFFFu;
    // A sum with a whole number has it in its lowest bits; 128 more leave the low byte's sign behind.
    constexpr float kLarge = 0x1.8p23f + 128;
    const int t = lane() % 4, place = lane() / 8, tile = item % Cells::kTokenTiles;
    Group& to = groups_[item / Cells::kTokenTiles];
    std::uint32_t largest = 0;
#pragma unroll
    for (int s = 0; s < kMySteps; ++s)
      largest = __vmaxu2(largest, __vmaxu2(pairs[s][0] & kSizes, pairs[s][1] & kSizes));
#pragma unroll
    for (int distance = 1; distance <= (kShared ? 4 : 2); distance *= 2)
      largest = __vmaxu2(largest, __shfl_xor_sync(kAll, largest, distance));
    // The biased exponent, where all powers here are normal.
    const std::uint32_t bits = max(largest & 0xFFFFu, largest >> 16);
    const std::uint32_t field = half_ ? half_exponent(bits) : max(bits >> 7, 20u);
    const float unit = field == 255 ? __uint_as_float(0x7FC00000u) : __uint_as_float((field - 13) << 23);
    const float inverse = __uint_as_float((254 - (field - 13)) << 23);
    std::uint32_t sum = 0;
#pragma unroll
    for (int s = 0; s < kMySteps; ++s) {
      std::uint32_t v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float2 pair = half_ ? f16_floats(pairs[s][i / 2]) : bf16_floats(pairs[s][i / 2]);
        v[i] = __float_as_uint(fmaf(i % 2 == 0 ? pair.x : pair.y, inverse, kLarge));
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
    if (lane() % 8 == 0) to.spans[tile][place] = {unit, static_cast<float>(static_cast<int>(sum))};
  }

  Group* groups_;
  bool half_, waits_;
};

}  // namespace pitwall::cuda
