// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-pair merging of a row of symbols.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/ids.h"

namespace pitwall {

struct BpeMerge {
  TokenId left = -1, right = -1, merged = -1;
  std::uint32_t rank = 0;  ///< lower merges earlier; equal ranks from the left
};

/// Immutable, shared between threads.
class BpeMerges {
 public:
  /// Of two merges of the same pair the later one counts.
  explicit BpeMerges(const std::vector<BpeMerge>& merges);

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
    void push(TokenId token) {
      const auto index = static_cast<std::int32_t>(symbols.size());
      symbols.push_back({token, ~std::uint32_t{0}, -1, index + 1, index - 1});
    }
  };
  /// Merges the symbols that were pushed, appends what they become and leaves none: the pair of lowest rank
  /// is merged first, the leftmost of equal ones, until none is left. O(n log n).
  void merge(Workspace& workspace, std::vector<TokenId>& out) const;

 private:
  struct Entry {
    std::uint64_t pair;
    std::uint32_t rank;
    TokenId merged;
  };
  const Entry& find(TokenId left, TokenId right) const;
  bool rate_pair(Workspace& workspace, std::int32_t left) const;
  void merge_few(Workspace& workspace) const;
  void merge_many(Workspace& workspace) const;
  static void join_with_next(Workspace& workspace, std::int32_t left);

  std::vector<Entry> table_;  ///< open addressing, a power of two long, at most half full
  unsigned shift_ = 0;
};

}  // namespace pitwall
