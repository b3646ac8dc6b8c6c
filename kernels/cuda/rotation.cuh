// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a new token's heads: eight neighbours of a head in a lane, rotated with those of another
// lane, and written as the KV pool stores them.
#pragma once
#include <cuda_fp8.h>

#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/rope_append.h"
#include "kernels/cuda/row_vector.cuh"

namespace pitwall::cuda {

inline constexpr int kWarp = 32;
inline constexpr float kLargestFp8 = 448;
inline constexpr unsigned kAll = 0xFFFFFFFFu;

/// y = x·cosine + partner·sine of a lane's eight numbers. kWide: the partners of a lane's numbers are those
/// of one other lane.
template <int kLanes, bool kWide>
class Rotation {
 public:
  /// `table`: the position's cosines, then its sines. rotary_dim 0: nothing turns.
  __device__ Rotation(const float* table, int rotary_dim, RopeSpec::Pairing pairing, int e)
      : rotary_dim_(rotary_dim),
        half_(rotary_dim / 2),
        neighbours_(!kWide && pairing == RopeSpec::Pairing::neighbours),
        first_(e) {
    if constexpr (kWide) {
      const int pair = first_ < half_ ? first_ : first_ - half_;
      cosine_ = Eight{{1, 1, 1, 1, 1, 1, 1, 1}};
      sine_ = Eight{};
      if (first_ < rotary_dim_) {
        cosine_ = load_eight_constant<true>(table + pair, kEight);
        sine_ = load_eight_constant<true>(table + half_ + pair, kEight);
      }
    } else {
#pragma unroll
      for (int i = 0; i < kEight; ++i) {
        const int at = first_ + i;
        const bool turns = at < rotary_dim_;
        const int pair = neighbours_ ? at / 2 : at < half_ ? at : at - half_;
        cosine_.at[i] = turns ? __ldg(table + pair) : 1.0f;
        sine_.at[i] = turns ? __ldg(table + half_ + pair) : 0.0f;
      }
    }
#pragma unroll
    for (int i = 0; i < kEight; ++i) {
      const bool is_low = neighbours_ ? i % 2 == 0 : first_ + i < half_;
      if (is_low) sine_.at[i] = -sine_.at[i];
    }
  }

  /// All lanes of a warp call this. `room`: the warp's, eight numbers a lane.
  __device__ Eight turned(const Eight& x, float* room) const {
    Eight y;
    const Eight partner = kWide ? of_other_lane(x) : neighbours_ ? of_own(x) : of_room(x, room);
#pragma unroll
    for (int i = 0; i < kEight; ++i) y.at[i] = x.at[i] * cosine_.at[i] + partner.at[i] * sine_.at[i];
    return y;
  }

 private:
  __device__ Eight of_own(const Eight& x) const {
    return {{x.at[1], x.at[0], x.at[3], x.at[2], x.at[5], x.at[4], x.at[7], x.at[6]}};
  }

  __device__ Eight of_other_lane(const Eight& x) const {
    const int away = half_ / kEight;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int other = first_ >= rotary_dim_ ? lane : first_ < half_ ? lane + away : lane - away;
    Eight partner;
#pragma unroll
    for (int i = 0; i < kEight; ++i) partner.at[i] = __shfl_sync(kAll, x.at[i], other);
    return partner;
  }

  __device__ Eight of_room(const Eight& x, float* room) const {
    float* head = room + static_cast<int>(threadIdx.x) % kWarp / kLanes * kLanes * kEight;
    __syncwarp();
    Eight partner{};
#pragma unroll
    for (int i = 0; i < kEight; ++i) head[first_ + i] = x.at[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kEight; ++i) {
      const int at = first_ + i;
      if (at < rotary_dim_) partner.at[i] = head[at < half_ ? at + half_ : at - half_];
    }
    return partner;
  }

  int rotary_dim_, half_;
  bool neighbours_;
  int first_;
  Eight cosine_, sine_;
};

/// Whether a format's numbers meet q in float16.
template <KvDtype kDtype>
inline constexpr bool kMeetsHalf = kDtype != KvDtype::bfloat16;

/// One lane's part of a token's keys or values of one kv head, padding too; says how many numbers it cut. For
/// float16 they were held.
template <KvDtype kDtype>
__device__ int append(const Eight& x, const KvView& kv, std::int64_t line, int e, float scale) {
  const std::int64_t place = line * kv.padded_dim + e;
  if constexpr (kDtype == KvDtype::bfloat16) {
    store_eight_wide(reinterpret_cast<bf16*>(kv.numbers) + place, x, false);
  } else if constexpr (kDtype == KvDtype::float16) {
    store_eight_wide(reinterpret_cast<bf16*>(kv.numbers) + place, x, true);
  } else if constexpr (kDtype == KvDtype::fp8_e4m3) {
    std::uint32_t words[2] = {};
    int cut = 0;
#pragma unroll
    for (int i = 0; i < kEight; i += 2) {
      const float2 scaled{x.at[i] / scale, x.at[i + 1] / scale};
      cut += (fabsf(scaled.x) > kLargestFp8) + (fabsf(scaled.y) > kLargestFp8);
      words[i / 4] |= static_cast<std::uint32_t>(__nv_cvt_float2_to_fp8x2(scaled, __NV_SATFINITE, __NV_E4M3))
                      << (i % 4 * 8);
    }
    *reinterpret_cast<uint2*>(kv.numbers + place) = make_uint2(words[0], words[1]);
    return cut;
  } else {
    std::uint32_t words[2] = {};
#pragma unroll
    for (int i = 0; i < kEight; ++i) {
      const int number = scale > 0 ? __float2int_rn(x.at[i] / scale) : 0;
      words[i / 4] |= static_cast<std::uint32_t>(number & 0xFF) << (i % 4 * 8);
    }
    *reinterpret_cast<uint2*>(kv.numbers + place) = make_uint2(words[0], words[1]);
  }
  return 0;
}

/// The scale of int8: all lanes of a warp call this.
template <int kLanes>
__device__ float scale_of(const Eight& x) {
  float largest = 0;
#pragma unroll
  for (int i = 0; i < kEight; ++i) largest = fmaxf(largest, fabsf(x.at[i]));
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(kAll, largest, distance));
  return largest / 127.0f;
}

}  // namespace pitwall::cuda
