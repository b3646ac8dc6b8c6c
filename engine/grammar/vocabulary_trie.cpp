// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/vocabulary_trie.h"

namespace pitwall {

VocabularyTrie::VocabularyTrie(std::vector<std::pair<std::string_view, TokenId>> tokens) {
  std::erase_if(tokens, [](const auto& token) { return token.first.empty(); });
  std::sort(tokens.begin(), tokens.end());
  nodes_.push_back({});
  bytes_.push_back(0);
  std::vector<Node> path{0};  // from the root to the text before
  std::string_view before;
  const auto close_to = [&](std::size_t depth) {
    for (; path.size() > depth + 1; path.pop_back())
      nodes_[path.back()].end = static_cast<Node>(nodes_.size());
  };
  for (const auto& [text, id] : tokens) {
    const auto differ = std::mismatch(before.begin(), before.end(), text.begin(), text.end());
    close_to(static_cast<std::size_t>(differ.first - before.begin()));
    for (std::size_t depth = path.size(); depth <= text.size(); ++depth) {
      path.push_back(static_cast<Node>(nodes_.size()));
      nodes_.push_back({.end = 0,
                        .first_token = static_cast<std::uint32_t>(tokens_.size()),
                        .depth = static_cast<std::int32_t>(depth)});
      bytes_.push_back(static_cast<std::uint8_t>(text[depth - 1]));
      longest_ = std::max(longest_, nodes_.back().depth);
    }
    tokens_.push_back(id);
    before = text;
  }
  close_to(0);
  nodes_[0].end = static_cast<Node>(nodes_.size());
  nodes_.push_back({.end = 0, .first_token = static_cast<std::uint32_t>(tokens_.size()), .depth = 0});
}

}  // namespace pitwall
