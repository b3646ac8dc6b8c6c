// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions that CUDA C++ has no words for, and reductions over a warp. PTX ISA 9.0.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

namespace pitwall::cuda {

__device__ inline std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
}

/// 16 bytes from global to shared memory, past the first cache; `bytes` < 16 fills up with zeros.
__device__ inline void copy_async_16(std::uint32_t to, const void* from, int bytes = 16) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}
__device__ inline void copy_async_8(std::uint32_t to, const void* from, int bytes = 8) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes));
}
__device__ inline void copy_async_commit() {
  asm volatile("cp.async.commit_group;");
}
template <int kPending>
__device__ inline void copy_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/// Four 8×8 matrices of 16-bit numbers; lane l names the row (l % 8) of matrix (l / 8).
__device__ inline void load_matrix_x4(std::uint32_t (&out)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(row));
}
__device__ inline void load_matrix_x4_transposed(std::uint32_t (&out)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(row));
}

/// An 8×8 matrix of 16-bit numbers, lane l holding columns 2·(l % 4) and one more of row l / 4: its
/// transpose.
__device__ inline std::uint32_t transpose_matrix(std::uint32_t pair) {
  std::uint32_t out;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(pair));
  return out;
}

/// c += a·b, 16×16 by 16×8, float32 sums. With g = lane / 4 and t = lane % 4, each register two neighbours:
/// a: (row g, columns 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8); b: (rows 2t, column g), (2t + 8, g);
/// c: (row g, columns 2t and 2t + 1), (g + 8, the same).
__device__ inline void multiply_bf16(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                     std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void multiply_f16(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <bool kIsHalf>
__device__ inline void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                std::uint32_t b1) {
  if constexpr (kIsHalf) {
    multiply_f16(c, a, b0, b1);
  } else {
    multiply_bf16(c, a, b0, b1);
  }
}

/// 16 bytes of weights that nothing reads again soon.
__device__ inline uint4 load_once(const void* from) {
  uint4 out;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(out.x), "=r"(out.y), "=r"(out.z), "=r"(out.w)
               : "l"(from));
  return out;
}

/// (a & mask) | bits in one instruction, which the compiler does not find for two constants.
__device__ inline std::uint32_t mask_or(std::uint32_t a, std::uint32_t mask, std::uint32_t bits) {
  std::uint32_t out;
  asm("lop3.b32 %0, %1, %2, %3, 0xEA;" : "=r"(out) : "r"(a), "r"(mask), "r"(bits));
  return out;
}

/// Four e4m3 numbers as float16, the lower two and the upper two. From sm_89.
__device__ inline void widen_fp8(std::uint32_t bytes, std::uint32_t& low, std::uint32_t& high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  // The halves of a register are read where they are: no shift.
  asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %2;\ncvt.rn.f16x2.e4m3x2 %0, low;\ncvt.rn.f16x2.e4m3x2 "
      "%1, high;\n}"
      : "=r"(low), "=r"(high)
      : "r"(bytes));
#else
  const auto pair = [](std::uint32_t codes) {
    const __half2_raw raw = __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(codes), __NV_E4M3);
    return static_cast<std::uint32_t>(raw.x) | static_cast<std::uint32_t>(raw.y) << 16;
  };
  low = pair(bytes & 0xFFFF);
  high = pair(bytes >> 16);
#endif
}

/// Programmatic dependent launch: a kernel may start before the one ahead of it has ended; nothing that the
/// one ahead writes may be touched before this. No-ops below sm_90 and without the launch attribute.
__device__ inline void wait_for_kernel_ahead() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void let_next_kernel_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// What this thread has written or seen comes before what it writes from here on, for all of the device.
__device__ inline void fence_device() {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

__device__ inline float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, distance);
  return value;
}
__device__ inline float warp_max(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, distance));
  return value;
}

__device__ inline std::uint32_t pack_bf16(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
__device__ inline std::uint32_t pack_f16(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

}  // namespace pitwall::cuda
