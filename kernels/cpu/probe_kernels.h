// SPDX-License-Identifier: GPL-3.0-or-later
// What `floors` times: memory reads and multiply-adds with nothing else in the way.
#pragma once
#include "kernels/cpu/kernel_table.h"

namespace pitwall {

template <class S>
struct ProbeKernels {
  using F = typename S::F;

  static float read_memory(const std::byte* data, std::int64_t bytes) {
    constexpr int kChains = 8;
    constexpr std::int64_t kVector = 4 * S::kLanes;
    F sum[kChains];
    for (F& x : sum) x = S::zero();
    for (std::int64_t at = 0; at < bytes; at += kChains * kVector) {
#pragma GCC unroll 8
      for (int c = 0; c < kChains; ++c) {
        sum[c] = S::max(sum[c], S::load(reinterpret_cast<const float*>(data + at + c * kVector)));
      }
    }
    float total = 0;
    for (const F& x : sum) total += S::sum(x);
    return total;
  }

  static float multiply_add_float(int rounds) {
    constexpr int kChains = 12, kSteps = static_cast<int>(kFloatProbeWork) / S::kLanes / kChains;
    F sum[kChains];
    for (int c = 0; c < kChains; ++c) sum[c] = S::broadcast(static_cast<float>(c));
    const F factor = S::broadcast(0.999f), step = S::broadcast(0.001f);
    for (int round = 0; round < rounds; ++round) {
      for (int s = 0; s < kSteps; ++s) {
#pragma GCC unroll 12
        for (int c = 0; c < kChains; ++c) sum[c] = S::fma(sum[c], factor, step);
      }
    }
    float total = 0;
    for (const F& x : sum) total += S::sum(x);
    return total;
  }

  /// Four-bit weights as in the linear kernels, with one float sum for each 32 columns.
  static float multiply_add_int8(int rounds) {
    constexpr int kChains = 8;
    alignas(64) std::byte bytes[8 * 4 * S::kLanes];
    alignas(64) std::int8_t x[2 * kQuantBlock];
    for (unsigned i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::byte>(i & 15);
    for (int i = 0; i < 2 * kQuantBlock; ++i) x[i] = static_cast<std::int8_t>(i);
    typename S::B weights[8];
    for (int v = 0; v < 8; ++v) weights[v] = S::load_bytes(bytes + v * 4 * S::kLanes);
    F sum[kChains];
    for (F& chain : sum) chain = S::zero();
    for (int round = 0; round < rounds; ++round) {
      for (int block = 0; block < static_cast<int>(kInt8ProbeWork) / (S::kLanes * kQuantBlock);
           block += kChains) {
#pragma GCC unroll 8
        for (int c = 0; c < kChains; ++c) {
          sum[c] = S::add(sum[c], S::to_float(S::template dot_codes<15, 8>(weights, x + 4 * c)));
        }
        asm volatile(""
                     :
                     : "r"(x)
                     : "memory");  // the activations may have changed: nothing is computed once for all
      }
    }
    float total = 0;
    for (const F& chain : sum) total += S::sum(chain);
    return total;
  }
};

}  // namespace pitwall
