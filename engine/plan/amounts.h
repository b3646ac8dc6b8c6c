// SPDX-License-Identifier: GPL-3.0-or-later
// Products and sums of sizes that a hostile configuration may have made huge: they stop at kMost instead of
// overflowing. No operand is negative.
#pragma once
#include <algorithm>
#include <cstdint>

namespace pitwall {

inline constexpr std::int64_t kMostAmount = std::int64_t{1} << 60;

inline std::int64_t capped_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMostAmount : std::min(sum, kMostAmount);
}

template <class... Rest>
std::int64_t capped_product(std::int64_t a, std::int64_t b, Rest... rest) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) product = kMostAmount;
  product = std::min(product, kMostAmount);
  if constexpr (sizeof...(rest) == 0) {
    return product;
  } else {
    return capped_product(product, rest...);
  }
}

inline std::int64_t divided_up(std::int64_t a, std::int64_t by) {
  return a / by + (a % by != 0 ? 1 : 0);
}
inline std::int64_t rounded_up(std::int64_t a, std::int64_t unit) {
  return capped_product(divided_up(a, unit), unit);
}

}  // namespace pitwall
