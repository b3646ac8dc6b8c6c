// SPDX-License-Identifier: GPL-3.0-or-later
// Eight neighbouring numbers of a row in registers, as float32: 16-byte accesses in kernels whose rows all
// allow them (kWide: without a branch, so that a thread's loads are in flight together), else one by one.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/number16.cuh"

namespace pitwall::cuda {

constexpr int kEight = 8;

struct Eight {
  float at[kEight];
};

__host__ inline bool is_wide(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}
/// Whether each row is made of eights at multiples of 16 bytes.
__host__ inline bool is_wide(const Rows16& rows) {
  return is_wide(rows.data) && rows.stride % kEight == 0 && rows.columns % kEight == 0;
}
__host__ inline bool is_wide(const Rows32& rows) {
  return is_wide(rows.data) && rows.stride % 4 == 0 && rows.columns % kEight == 0;
}

/// What a kernel ahead may have written: past the first cache, which is left to weights.
__device__ inline Eight load_eight_wide(const float* from) {
  const float4 low = __ldcg(reinterpret_cast<const float4*>(from));
  const float4 high = __ldcg(reinterpret_cast<const float4*>(from) + 1);
  return {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
}
__device__ inline Eight load_eight_wide(const bf16* from, bool half) {
  const uint4 words = __ldcg(reinterpret_cast<const uint4*>(from));
  const std::uint32_t pairs[] = {words.x, words.y, words.z, words.w};
  Eight out;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 two = half ? f16_floats(pairs[i]) : bf16_floats(pairs[i]);
    out.at[2 * i] = two.x, out.at[2 * i + 1] = two.y;
  }
  return out;
}

/// Held as float16 numbers are.
__device__ inline void hold(Eight& x, unsigned long long* cut) {
  unsigned beyond = 0;
#pragma unroll
  for (int i = 0; i < kEight; ++i) {
    beyond += fabsf(x.at[i]) > kMostHalf ? 1 : 0;
    x.at[i] = held(x.at[i], nullptr);
  }
  if (beyond > 0 && cut != nullptr) atomicAdd(cut, static_cast<unsigned long long>(beyond));
}

/// `left`: numbers from here to the row's end; beyond it there are zeros. kWide: none or at least eight.
template <bool kWide>
__device__ Eight load_eight(const bf16* from, int left, bool half) {
  Eight out{};
  if constexpr (kWide) {
    if (left > 0) out = load_eight_wide(from, half);
  } else {
#pragma unroll
    for (int i = 0; i < kEight; ++i) out.at[i] = i < left ? number_16(from[i], half) : 0.0f;
  }
  return out;
}
template <bool kWide>
__device__ Eight load_eight(const float* from, int left) {
  Eight out{};
  if constexpr (kWide) {
    if (left > 0) out = load_eight_wide(from);
  } else {
#pragma unroll
    for (int i = 0; i < kEight; ++i) out.at[i] = i < left ? from[i] : 0.0f;
  }
  return out;
}

/// Constant numbers, such as a norm's weights.
template <bool kWide>
__device__ Eight load_eight_constant(const float* from, int left) {
  Eight out{};
  if constexpr (kWide) {
    if (left > 0) {
      const float4 low = __ldg(reinterpret_cast<const float4*>(from));
      const float4 high = __ldg(reinterpret_cast<const float4*>(from) + 1);
      out = {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
    }
  } else {
#pragma unroll
    for (int i = 0; i < kEight; ++i) out.at[i] = i < left ? __ldg(from + i) : 0.0f;
  }
  return out;
}

__device__ inline void store_eight_wide(float* to, const Eight& x) {
  reinterpret_cast<float4*>(to)[0] = make_float4(x.at[0], x.at[1], x.at[2], x.at[3]);
  reinterpret_cast<float4*>(to)[1] = make_float4(x.at[4], x.at[5], x.at[6], x.at[7]);
}
/// In float16: numbers that were held.
__device__ inline void store_eight_wide(bf16* to, const Eight& x, bool half) {
  std::uint32_t pairs[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    pairs[i] = half ? pack_f16(x.at[2 * i], x.at[2 * i + 1]) : pack_bf16(x.at[2 * i], x.at[2 * i + 1]);
  *reinterpret_cast<uint4*>(to) = {pairs[0], pairs[1], pairs[2], pairs[3]};
}

template <bool kWide>
__device__ void store_eight(bf16* to, const Eight& x, int left, bool half) {
  if constexpr (kWide) {
    if (left > 0) store_eight_wide(to, x, half);
  } else {
#pragma unroll
    for (int i = 0; i < kEight; ++i) {
      if (i >= left) continue;
      to[i] = half ? __ushort_as_bfloat16(__half_as_ushort(__float2half_rn(x.at[i])))
                   : __float2bfloat16_rn(x.at[i]);
    }
  }
}

template <class Rows>
__device__ auto* row_at(const Rows& rows, int row, int column) {
  return rows.data + std::int64_t{row} * rows.stride + column;
}

// Eight numbers of a row.
template <bool kWide>
__device__ Eight load_eight(const Rows32& rows, int row, int column, int left) {
  return load_eight<kWide>(row_at(rows, row, column), left);
}
template <bool kWide>
__device__ Eight load_eight(const Rows16& rows, int row, int column, int left) {
  Eight x = load_eight<kWide>(row_at(rows, row, column), left, rows.is_half());
  if (rows.is_half()) hold(x, rows.cut);
  return x;
}
template <bool kWide>
__device__ void store_eight(const Rows32& rows, int row, int column, const Eight& x, int left) {
  float* to = row_at(rows, row, column);
  if constexpr (kWide) {
    if (left > 0) store_eight_wide(to, x);
  } else {
#pragma unroll
    for (int i = 0; i < kEight; ++i) {
      if (i < left) to[i] = x.at[i];
    }
  }
}
template <bool kWide>
__device__ void store_eight(const Rows16& rows, int row, int column, Eight x, int left) {
  if (rows.is_half()) hold(x, rows.cut);
  store_eight<kWide>(row_at(rows, row, column), x, left, rows.is_half());
}

constexpr int kRowThreads = 256;

/// For kernels that treat each number by itself: a thread has eight of them, a block one row's columns, or a
/// part of them.
__device__ inline int my_column() {
  return static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x) * kEight;
}
__device__ inline int my_row() {
  return static_cast<int>(blockIdx.x);
}

template <class... Parameters, class... Arguments>
void launch_by_columns(void (*kernel)(Parameters...), int rows, int columns, cudaStream_t stream,
                       const Arguments&... arguments) {
  const int groups = (columns + kEight - 1) / kEight;
  const int threads = std::min((groups + 31) / 32 * 32, kRowThreads);
  const int parts = (groups + threads - 1) / threads;
  launch(kernel, dim3(static_cast<unsigned>(rows), static_cast<unsigned>(parts)),
         dim3(static_cast<unsigned>(threads)), 0, stream, arguments...);
}

}  // namespace pitwall::cuda
