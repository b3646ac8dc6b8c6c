// SPDX-License-Identifier: GPL-3.0-or-later
// Products of a warpgroup with both operands in shared memory as panels: 64 rows by as many lines as there
// are sums for.
#pragma once
#include "kernels/cuda/wgmma.cuh"

namespace pitwall::cuda {

#if defined(PITWALL_HAS_WGMMA)

#define PITWALL_C4(c, n) PITWALL_C1(c, n), PITWALL_C1(c, n + 1), PITWALL_C1(c, n + 2), PITWALL_C1(c, n + 3)
#define PITWALL_R48 PITWALL_R32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define PITWALL_R56 PITWALL_R48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define PITWALL_R80 PITWALL_R64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"
#define PITWALL_R112                                                                      \
  PITWALL_R80                                                                             \
  ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100" \
  ",%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111"
/// The operands behind the sums: a, b, adds.
#define PITWALL_LINES(type, lines, registers, a_at, b_at, adds_at, ...)                                   \
  if constexpr (8 * kEights == lines) {                                                                   \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #adds_at                                            \
                 ", 0;\nwgmma.mma_async.sync.aligned.m64n" #lines "k16.f32." type "." type " {" registers \
                 "}, %" #a_at ", %" #b_at ", p, 1, 1, 0, 0;\n}"                                           \
                 : __VA_ARGS__                                                                            \
                 : "l"(a), "l"(b), "r"(adds));                                                            \
  }

#define PITWALL_ALL_LINES(type)                                                                            \
  PITWALL_LINES(type, 96, PITWALL_R48, 48, 49, 50, PITWALL_C8(c, 0), PITWALL_C4(c, 8))                     \
  PITWALL_LINES(type, 112, PITWALL_R56, 56, 57, 58, PITWALL_C8(c, 0), PITWALL_C4(c, 8), PITWALL_C1(c, 12), \
                PITWALL_C1(c, 13))                                                                         \
  PITWALL_LINES(type, 160, PITWALL_R80, 80, 81, 82, PITWALL_C8(c, 0), PITWALL_C8(c, 8), PITWALL_C4(c, 16)) \
  PITWALL_LINES(type, 224, PITWALL_R112, 112, 113, 114, PITWALL_C8(c, 0), PITWALL_C8(c, 8),                \
                PITWALL_C8(c, 16), PITWALL_C4(c, 24))

/// c = or += a·bᵀ: 64 rows of a and 8·kEights lines of b, 16 columns of each.
template <bool kIsHalf, int kEights>
__device__ inline void multiply_lines(float (&c)[kEights][4], std::uint64_t a, std::uint64_t b, int adds) {
  static_assert(kEights == 12 || kEights == 14 || kEights == 20 || kEights == 28);
  if constexpr (kIsHalf) {
    PITWALL_ALL_LINES("f16")
  } else {
    PITWALL_ALL_LINES("bf16")
  }
}

#endif

}  // namespace pitwall::cuda
