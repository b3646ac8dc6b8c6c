// SPDX-License-Identifier: GPL-3.0-or-later
// All token texts of a vocabulary as a trie that is walked beside an automaton: what a token's beginning
// forbids is passed over with all that begins so.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/grammar/json_strings.h"

namespace pitwall {

/// Immutable. Nodes in the order of their texts, each before those that it begins; node 0 is the empty text.
class VocabularyTrie {
 public:
  using Node = std::uint32_t;
  explicit VocabularyTrie(std::vector<std::pair<std::string_view, TokenId>> tokens);

  std::span<const TokenId> tokens(Node node) const {
    return {tokens_.data() + nodes_[node].first_token, tokens_.data() + nodes_[node + 1].first_token};
  }
  bool goes_on(Node node) const { return nodes_[node].end > node + 1; }
  std::size_t size() const { return bytes_.size(); }

  /// Reads from `at` every text that goes on from `node`. `visit(node, state, characters begun)` for each
  /// node that the automaton reaches.
  template <class Visit>
  void walk(Node node, const ByteAutomaton& automaton, ByteState at, CharacterBounds bounds,
            Visit visit) const {
    struct Place {
      ByteState at;
      CharacterBounds bounds;
      std::uint32_t begun;
    };
    std::vector<Place> places(static_cast<std::size_t>(longest_ - nodes_[node].depth) + 1);
    places[0] = {at, bounds, 0};
    const Node end = nodes_[node].end;
    for (Node next = node + 1; next < end;) {
      const auto depth = static_cast<std::size_t>(nodes_[next].depth - nodes_[node].depth);
      const Place& before = places[depth - 1];
      const std::uint8_t byte = bytes_[next];
      Place& now = places[depth];
      now = before;
      now.at = automaton.step(before.at, byte);
      if (now.at == kDeadState || !now.bounds.take(before.at, byte)) {
        next = nodes_[next].end;
        continue;
      }
      if (before.at == kStringBody && byte != '"') ++now.begun;
      visit(next, now.at, now.bounds, now.begun);
      ++next;
    }
  }

 private:
  struct Entry {
    Node end = 0;  ///< behind the last node that begins with this one
    std::uint32_t first_token = 0;
    std::int32_t depth = 0;
  };
  std::vector<Entry> nodes_;  ///< one more than there are, so that the tokens of the last have an end
  std::vector<std::uint8_t> bytes_;
  std::vector<TokenId> tokens_;
  std::int32_t longest_ = 0;
};

}  // namespace pitwall
