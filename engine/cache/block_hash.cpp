// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/block_hash.h"

namespace pitwall {

namespace {

/// One word folded in: multiply by an odd constant (2^64 / golden ratio), let high bits reach the low ones.
std::uint64_t fold(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x9E3779B97F4A7C15ULL;
  return state ^ (state >> 29);
}

}  // namespace

std::uint64_t chained_hash(std::uint64_t parent, std::span<const TokenId> tokens) {
  std::uint64_t state = fold(parent, tokens.size());
  std::size_t i = 0;
  for (; i + 1 < tokens.size(); i += 2) {
    state = fold(state, static_cast<std::uint64_t>(static_cast<std::uint32_t>(tokens[i])) << 32 |
                            static_cast<std::uint32_t>(tokens[i + 1]));
  }
  if (i < tokens.size()) state = fold(state, static_cast<std::uint32_t>(tokens[i]));
  return fold(state, state >> 32);
}

std::uint64_t hash_text(std::uint64_t seed, std::string_view text) {
  std::uint64_t state = fold(seed, text.size());
  for (const char letter : text) state = fold(state, static_cast<unsigned char>(letter));
  return fold(state, state >> 32);
}

}  // namespace pitwall
