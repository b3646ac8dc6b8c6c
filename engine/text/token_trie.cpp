// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/token_trie.h"

#include <algorithm>

namespace pitwall {

TokenTrie::TokenTrie(std::vector<std::pair<std::string_view, TokenId>> tokens) {
  std::stable_sort(tokens.begin(), tokens.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  // Level by level: the tokens from `begin` to `end` share the `depth` bytes that lead to `node`.
  struct Range {
    std::uint32_t node;
    std::size_t begin, end, depth;
  };
  nodes_.emplace_back();
  bytes_.push_back(0);
  std::vector<Range> ranges = {{0, 0, tokens.size(), 0}};
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    Range range = ranges[r];
    while (range.begin < range.end && tokens[range.begin].first.size() == range.depth) {
      if (range.node != 0) nodes_[range.node].id = tokens[range.begin].second;
      ++range.begin;
    }
    nodes_[range.node].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (range.begin < range.end) {
      const char byte = tokens[range.begin].first[range.depth];
      std::size_t end = range.begin;
      while (end < range.end && tokens[end].first[range.depth] == byte) ++end;
      const auto node = static_cast<std::uint32_t>(nodes_.size());
      if (range.node == 0) root_[static_cast<std::uint8_t>(byte)] = node;
      ++nodes_[range.node].children;
      nodes_.emplace_back();
      bytes_.push_back(static_cast<std::uint8_t>(byte));
      ranges.push_back({node, range.begin, end, range.depth + 1});
      range.begin = end;
    }
  }
}

std::uint32_t TokenTrie::child(std::uint32_t node, std::uint8_t byte) const {
  const Node& parent = nodes_[node];
  const auto first = bytes_.begin() + parent.first_child;
  const auto last = first + parent.children;
  const auto found = parent.children < 8 ? std::find(first, last, byte) : std::lower_bound(first, last, byte);
  return found != last && *found == byte ? static_cast<std::uint32_t>(found - bytes_.begin()) : 0;
}

}  // namespace pitwall
