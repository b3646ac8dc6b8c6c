// SPDX-License-Identifier: GPL-3.0-or-later
// Random: the same numbers from the same seed on every machine, which std's distributions do not promise.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

namespace pitwall {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  ///< [0, 1)
  double exponential() { return -std::log(1 - uniform()); }                 ///< mean 1
  /// Mean 0, variance 1 (Box and Muller 1958).
  double normal() { return std::sqrt(2 * exponential()) * std::cos(2 * std::numbers::pi * uniform()); }
  /// Mean and variance `shape` (Marsaglia and Tsang 2000).
  double gamma(double shape) {
    if (shape < 1) return gamma(shape + 1) * std::pow(1 - uniform(), 1 / shape);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal(), root = 1 + c * x, v = root * root * root;
      if (v > 0 && std::log(1 - uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace pitwall
