// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-pair merging inside one piece of text.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"

namespace pitwall {

struct BpeMerge {
  TokenId left = -1, right = -1, merged = -1;
};

/// Immutable, shared between threads.
class BpeMerges {
 public:
  /// `merges` in order of rank; `byte_tokens[b]` is the token of byte b, or −1: such bytes are left out.
  BpeMerges(const std::vector<BpeMerge>& merges, const std::array<TokenId, 256>& byte_tokens);

  /// What one call needs; one per thread, reused between pieces.
  struct Workspace {
    struct Symbol {
      TokenId token;
      std::uint32_t rank;  ///< of the pair with the next symbol, or kNoRank
      TokenId merged;      ///< of that pair
      std::int32_t next, previous;
    };
    std::vector<Symbol> symbols;
    std::vector<std::uint64_t> queue;
  };
  /// Appends the tokens of `piece`: the pair of lowest rank is merged first, the leftmost of equal ones,
  /// until none is left. O(n log n).
  void encode(std::string_view piece, Workspace& workspace, std::vector<TokenId>& out) const;

 private:
  struct Entry {
    std::uint64_t pair;
    std::uint32_t rank;
    TokenId merged;
  };
  const Entry& find(TokenId left, TokenId right) const;
  void rate_pair(Workspace& workspace, std::int32_t left) const;

  std::vector<Entry> table_;  ///< open addressing, a power of two long, at most half full
  unsigned shift_ = 0;
  std::array<TokenId, 256> byte_tokens_;
};

}  // namespace pitwall
