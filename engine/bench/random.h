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

 private:
  std::uint64_t state_;
};

}  // namespace pitwall
