// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions of sm_90a alone: products of a warpgroup (four warps) with operands in shared memory, copies
// by tensor map, and barriers in shared memory that count bytes. Below sm_90a none of it is compiled.
// PTX ISA 9.0.
#pragma once
#include <cuda.h>

#include "kernels/cuda/ptx.cuh"

namespace pitwall::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define PITWALL_HAS_WGMMA 1
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
#error "sm_90 is compiled as 90a"
#endif

#if defined(PITWALL_HAS_WGMMA)

__device__ inline void barrier_init(std::uint32_t barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ inline void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void barrier_expect(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Gives up, and the kernel with it, after a time that no copy takes.
__device__ inline void barrier_wait(std::uint32_t barrier, int parity) {
#pragma unroll 1
  for (int tries = 0; tries < (1 << 18); ++tries) {
    std::uint32_t done;
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
    if (done) return;
  }
  __trap();
}

/// A box of a two-dimensional tensor into shared memory; `barrier` counts its bytes.
__device__ inline void copy_box(std::uint32_t to, const CUtensorMap* map, int column, int line,
                                std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], "
      "[%4];" ::"r"(to),
      "l"(map), "r"(column), "r"(line), "r"(barrier)
      : "memory");
}
/// Weights are read once: the second cache lets go of them first.
__device__ inline std::uint64_t read_once() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ inline void copy_box_once(std::uint32_t to, const CUtensorMap* map, int column, int line,
                                     std::uint32_t barrier, std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
      "[%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(map), "r"(column), "r"(line), "r"(barrier), "l"(policy)
      : "memory");
}
/// Into the same places of every block of the cluster that `blocks` names by a bit; each block's barrier
/// counts its own bytes.
__device__ inline void share_box_once(std::uint32_t to, const CUtensorMap* map, int column, int line,
                                      std::uint32_t barrier, int blocks, std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
      ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(to),
      "l"(map), "r"(column), "r"(line), "r"(barrier), "h"(static_cast<short>(blocks)), "l"(policy)
      : "memory");
}

/// The place in shared memory of another block of the cluster that `at` is in this one's.
__device__ inline std::uint32_t place_in(std::uint32_t at, int block) {
  std::uint32_t place;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place) : "r"(at), "r"(block));
  return place;
}
__device__ inline void barrier_arrive_in(std::uint32_t barrier, int block) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(place_in(barrier, block)) : "memory");
}
/// Sends 16 bytes to a place in a block's memory, whose `barrier` counts them; both as place_in() gives them.
__device__ inline void send_four(std::uint32_t at, const float (&four)[4], std::uint32_t barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
          at),
      "f"(four[0]), "f"(four[1]), "f"(four[2]), "f"(four[3]), "r"(barrier)
      : "memory");
}
/// All threads of a cluster meet, which says nothing of what they stored.
__device__ inline void cluster_meet() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/// Makes barriers visible to copies.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// Makes what this thread stored to shared memory visible to products and copies.
__device__ inline void publish_stores() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Threads of one warpgroup or several.
template <int kId>
__device__ inline void group_sync(int threads) {
  asm volatile("bar.sync %0, %1;" ::"n"(kId), "r"(threads) : "memory");
}
template <int kId>
__device__ inline void group_arrive(int threads) {
  asm volatile("bar.arrive %0, %1;" ::"n"(kId), "r"(threads) : "memory");
}
template <int kRegisters>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

/// Describes rows of 128 bytes, permuted in eights. `lead`: bytes from one 64-column panel to the next.
__device__ inline std::uint64_t panel_description(std::uint32_t at, int lead) {
  return static_cast<std::uint64_t>((at & 0x3FFFF) >> 4) | static_cast<std::uint64_t>(lead >> 4) << 16 |
         static_cast<std::uint64_t>(1024 >> 4) << 32 | std::uint64_t{1} << 62;
}

__device__ inline void products_begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void products_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending>
__device__ inline void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
/// Keeps the compiler from moving uses of an accumulator over this point.
template <int kTiles>
__device__ inline void hold(float (&c)[kTiles][4]) {
#pragma unroll
  for (int n = 0; n < kTiles; ++n) {
#pragma unroll
    for (int j = 0; j < 4; ++j) asm volatile("" : "+f"(c[n][j])::"memory");
  }
}

#define PITWALL_C1(c, n) "+f"(c[n][0]), "+f"(c[n][1]), "+f"(c[n][2]), "+f"(c[n][3])
#define PITWALL_C8(c, n)                                                                                    \
  PITWALL_C1(c, n), PITWALL_C1(c, n + 1), PITWALL_C1(c, n + 2), PITWALL_C1(c, n + 3), PITWALL_C1(c, n + 4), \
      PITWALL_C1(c, n + 5), PITWALL_C1(c, n + 6), PITWALL_C1(c, n + 7)
#define PITWALL_R32                                                                                \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25," \
  "%26,%27,%28,%29,%30,%31"
#define PITWALL_R64                                                                                   \
  PITWALL_R32                                                                                         \
  ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55," \
  "%56,%57,%58,%59,%60,%61,%62,%63"

/// c = or += a·bᵀ: 64 rows of a and 8·kTiles rows of b, 16 columns of each.
#define PITWALL_SCORES(type)                                                                          \
  if constexpr (kTiles == 16) {                                                                       \
    asm volatile(                                                                                     \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\nwgmma.mma_async.sync.aligned.m64n128k16.f32." type \
        "." type " {" PITWALL_R64 "}, %64, %65, p, 1, 1, 0, 0;\n}"                                    \
        : PITWALL_C8(c, 0), PITWALL_C8(c, 8)                                                          \
        : "l"(a), "l"(b), "r"(adds));                                                                 \
  } else {                                                                                            \
    asm volatile(                                                                                     \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32." type  \
        "." type " {" PITWALL_R32 "}, %32, %33, p, 1, 1, 0, 0;\n}"                                    \
        : PITWALL_C8(c, 0)                                                                            \
        : "l"(a), "l"(b), "r"(adds));                                                                 \
  }
template <bool kIsHalf, int kTiles>
__device__ inline void multiply_keys(float (&c)[kTiles][4], std::uint64_t a, std::uint64_t b, int adds) {
  static_assert(kTiles == 16 || kTiles == 8);
  if constexpr (kIsHalf) {
    PITWALL_SCORES("f16")
  } else {
    PITWALL_SCORES("bf16")
  }
}

/// c = or += a·b: a in registers, b 16 rows of 8·kTiles columns.
#define PITWALL_VALUES(type)                                                                          \
  if constexpr (kTiles == 16) {                                                                       \
    asm volatile(                                                                                     \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\nwgmma.mma_async.sync.aligned.m64n128k16.f32." type \
        "." type " {" PITWALL_R64 "}, {%64,%65,%66,%67}, %68, p, 1, 1, 1;\n}"                         \
        : PITWALL_C8(c, 0), PITWALL_C8(c, 8)                                                          \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds));                             \
  } else {                                                                                            \
    asm volatile(                                                                                     \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32." type  \
        "." type " {" PITWALL_R32 "}, {%32,%33,%34,%35}, %36, p, 1, 1, 1;\n}"                         \
        : PITWALL_C8(c, 0)                                                                            \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds));                             \
  }
template <bool kIsHalf, int kTiles>
__device__ inline void multiply_values(float (&c)[kTiles][4], const std::uint32_t (&a)[4], std::uint64_t b,
                                       int adds) {
  static_assert(kTiles == 16 || kTiles == 8);
  if constexpr (kIsHalf) {
    PITWALL_VALUES("f16")
  } else {
    PITWALL_VALUES("bf16")
  }
}

#endif

}  // namespace pitwall::cuda
