// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes of small tuples of numbers, for the tables in which equal things are one.
#pragma once
#include <cstdint>

namespace pitwall {

/// One more number into a running hash (the finaliser of splitmix64: Steele, Lea and Flood, 2014).
inline std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t z = hash + 0x9E37'79B9'7F4A'7C15u + value;
  z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
  z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
  return z ^ (z >> 31);
}

}  // namespace pitwall
