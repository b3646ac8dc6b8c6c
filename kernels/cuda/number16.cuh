// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of Rows16 from and to float32: bf16, or float16 that is held at its largest numbers and never
// infinite. What a library wrote may be: it is held where it is read.
#pragma once
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

inline constexpr float kMostHalf = 65504;

/// `cut` may be null. NaN stays.
__device__ inline float held(float x, unsigned long long* cut) {
  if (fabsf(x) > kMostHalf) {
    if (cut != nullptr) atomicAdd(cut, 1ull);
    x = copysignf(kMostHalf, x);
  }
  return x;
}

__device__ inline std::uint32_t pack_held(float low, float high, unsigned long long* cut) {
  return pack_f16(held(low, cut), held(high, cut));
}
/// A pair of `to`.
__device__ inline std::uint32_t pack_16(const Rows16& to, float low, float high) {
  return to.is_half() ? pack_held(low, high, to.cut) : pack_bf16(low, high);
}
/// A number at `place` of `to`.
__device__ inline void put_16(const Rows16& to, bf16* place, float x) {
  if (to.is_half()) {
    *reinterpret_cast<__half*>(place) = __float2half_rn(held(x, to.cut));
  } else {
    *place = __float2bfloat16_rn(x);
  }
}

__device__ inline float2 bf16_floats(std::uint32_t pair) {
  return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000u)};
}
__device__ inline float2 f16_floats(std::uint32_t pair) {
  return __half22float2(*reinterpret_cast<const __half2*>(&pair));
}
__device__ inline float number_16(bf16 bits, bool half) {
  return half ? __half2float(__ushort_as_half(__bfloat16_as_ushort(bits))) : __bfloat162float(bits);
}
__device__ inline float rounded_16(float x, bool half) {
  return half ? __half2float(__float2half_rn(held(x, nullptr))) : __bfloat162float(__float2bfloat16_rn(x));
}

}  // namespace pitwall::cuda
