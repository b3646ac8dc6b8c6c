// SPDX-License-Identifier: GPL-3.0-or-later
// How far computed numbers are from expected ones.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace pitwall::test {

/// |got − expected|₂ / |expected|₂ of floats or doubles; infinite for different lengths, NaN where a number
/// is.
template <class Got, class Expected>
double relative_l2(const Got& got, const Expected& expected) {
  if (got.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    difference += std::pow(static_cast<double>(got[i]) - static_cast<double>(expected[i]), 2);
    norm += std::pow(static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(difference / std::max(norm, 1e-30));
}

inline std::span<const float> row_of(std::span<const float> values, int row, int columns) {
  return values.subspan(static_cast<std::size_t>(row) * static_cast<std::size_t>(columns),
                        static_cast<std::size_t>(columns));
}

}  // namespace pitwall::test
