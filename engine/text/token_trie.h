// SPDX-License-Identifier: GPL-3.0-or-later
// Trie of token texts: all tokens that a text begins with, shortest first.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/ids.h"

namespace pitwall {

/// Immutable, shared between threads. Takes 12 bytes for each distinct prefix of its texts.
class TokenTrie {
 public:
  /// Of equal texts the last one counts; empty ones are ignored.
  explicit TokenTrie(std::vector<std::pair<std::string_view, TokenId>> tokens);

  /// Calls `found(length, id)` for every token at the start of `text`.
  template <class Found>
  void prefixes(std::string_view text, Found found) const {
    std::uint32_t node = text.empty() ? 0 : root_[static_cast<std::uint8_t>(text[0])];
    for (std::size_t length = 1; node != 0; ++length) {
      if (nodes_[node].id >= 0) found(length, nodes_[node].id);
      node = length < text.size() ? child(node, static_cast<std::uint8_t>(text[length])) : 0;
    }
  }

 private:
  struct Node {
    std::uint32_t first_child = 0;
    std::uint16_t children = 0;
    TokenId id = -1;
  };
  std::uint32_t child(std::uint32_t node, std::uint8_t byte) const;
  std::vector<Node> nodes_;  ///< 0 is no node; the children of one lie side by side, in order of their bytes
  std::vector<std::uint8_t> bytes_;
  std::array<std::uint32_t, 256> root_{};
};

}  // namespace pitwall
