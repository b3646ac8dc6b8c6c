// SPDX-License-Identifier: GPL-3.0-or-later
// A total order of the tokens of a row, or of a router's experts, in one number: the larger the logit, the
// larger; among equal logits, the lower the id, the larger.
#pragma once
#include <cstdint>

namespace pitwall::cuda {

/// Larger for larger logits, and among equal ones for lower ids; never 0 for a number.
__device__ inline std::uint32_t key_of(float logit) {
  const std::uint32_t bits = __float_as_uint(logit + 0.0f);  // −0 becomes 0
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
__device__ inline float logit_of_key(std::uint32_t key) {
  return __uint_as_float((key & 0x80000000u) != 0 ? key & 0x7FFFFFFFu : ~key);
}
__device__ inline unsigned long long order_of(float logit, int token) {
  return static_cast<unsigned long long>(key_of(logit)) << 32 | ~static_cast<std::uint32_t>(token);
}
__device__ inline float logit_of(unsigned long long order) {
  return logit_of_key(static_cast<std::uint32_t>(order >> 32));
}
__device__ inline int token_of(unsigned long long order) {
  return static_cast<int>(~static_cast<std::uint32_t>(order));
}

__device__ inline unsigned long long warp_largest(unsigned long long value) {
  const auto high = static_cast<std::uint32_t>(value >> 32), low = static_cast<std::uint32_t>(value);
  const std::uint32_t highest = __reduce_max_sync(0xFFFFFFFFu, high);
  const std::uint32_t lowest = __reduce_max_sync(0xFFFFFFFFu, high == highest ? low : 0u);
  return static_cast<unsigned long long>(highest) << 32 | lowest;
}

}  // namespace pitwall::cuda
