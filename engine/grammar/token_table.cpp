// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/token_table.h"

#include <algorithm>

namespace pitwall {

namespace {

std::vector<std::pair<std::string_view, TokenId>> texts_of(const Tokenizer& tokenizer, int vocabulary) {
  std::vector<std::pair<std::string_view, TokenId>> texts;
  for (TokenId id = 0; id < std::min(tokenizer.size(), vocabulary); ++id) {
    if (!tokenizer.is_special(id)) texts.emplace_back(tokenizer.bytes_of(id), id);
  }
  return texts;
}

}  // namespace

void TokenSet::add_to(std::vector<std::uint32_t>& mask) const {
  for (std::size_t i = 0; i < words.size(); ++i) mask[i] |= words[i];
  for (const TokenId token : list) mask[static_cast<std::size_t>(token) / 32] |= 1u << (token % 32);
}

TokenTable::TokenTable(std::shared_ptr<const Tokenizer> tokenizer, int vocabulary)
    : tokenizer_(std::move(tokenizer)), vocabulary_(vocabulary), trie_(texts_of(*tokenizer_, vocabulary)) {
  for (const auto& [text, id] : texts_of(*tokenizer_, vocabulary_)) {
    if (text.size() == 1) byte_tokens_[static_cast<std::uint8_t>(text[0])].push_back(id);
  }
  ByteAutomaton automaton;
  add_json_string(automaton);
  for (ByteState at = 0; at < kStringStates; ++at) strings_.push_back(tokens_of(automaton, at));
}

std::string_view TokenTable::text_of(TokenId token) const {
  if (token < 0 || token >= std::min(tokenizer_->size(), vocabulary_) || tokenizer_->is_special(token))
    return {};
  return tokenizer_->bytes_of(token);
}

AutomatonTokens TokenTable::tokens_of(const ByteAutomaton& automaton, ByteState at) const {
  AutomatonTokens out;
  std::vector<TokenId>& list = out.allowed.list;
  trie_.walk(0, automaton, at, {},
             [&](VocabularyTrie::Node node, ByteState state, const CharacterBounds&, std::uint32_t begun) {
               for (const TokenId token : trie_.tokens(node)) {
                 list.push_back(token);
                 if (begun > 0) out.counted.push_back({begun, token});
               }
               if (automaton.accepting(state)) out.exits.push_back({node, begun});
             });
  std::sort(out.counted.begin(), out.counted.end(),
            [](const auto& a, const auto& b) { return a.characters > b.characters; });
  if (list.size() > words()) {
    out.allowed.words.resize(words());
    for (const TokenId token : list)
      out.allowed.words[static_cast<std::size_t>(token) / 32] |= 1u << (token % 32);
    list.clear();
  }
  list.shrink_to_fit();
  return out;
}

}  // namespace pitwall
