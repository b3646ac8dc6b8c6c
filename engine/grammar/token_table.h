// SPDX-License-Identifier: GPL-3.0-or-later
// What guides need of a tokenizer, worked out once and shared by all grammars: a trie of its tokens' bytes,
// and what each place of a JSON string makes of the whole vocabulary.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "engine/grammar/vocabulary_trie.h"
#include "engine/text/tokenizer.h"

namespace pitwall {

/// A set of tokens, in the smaller of two forms.
struct TokenSet {
  std::vector<TokenId> list;         ///< used when `words` is empty
  std::vector<std::uint32_t> words;  ///< as TokenMask
  void add_to(std::vector<std::uint32_t>& mask) const;
  std::size_t memory() const { return list.size() * sizeof(list[0]) + words.size() * sizeof(words[0]); }
};

/// What an automaton in one state makes of a vocabulary, whatever comes behind it.
struct AutomatonTokens {
  struct Exit {
    VocabularyTrie::Node node = 0;  ///< the automaton may end here: what goes on is read by what comes behind
    std::uint32_t characters = 0;   ///< begun on the way
  };
  struct Counted {
    std::uint32_t characters = 0;
    TokenId token = 0;
  };
  TokenSet allowed;  ///< tokens after which it has not failed
  std::vector<Exit> exits;
  std::vector<Counted> counted;  ///< allowed tokens that begin characters of a JSON string, most first
  std::size_t memory() const { return allowed.memory() + exits.size() * sizeof(Exit); }
};

/// Immutable, shared between threads. One for each loaded model: whoever holds the tokenizer holds this too.
class TokenTable {
 public:
  /// `vocabulary`: the model's, at least as large as the tokenizer's ids go; ids without a text are never
  /// allowed.
  TokenTable(std::shared_ptr<const Tokenizer> tokenizer, int vocabulary);

  const Tokenizer& tokenizer() const { return *tokenizer_; }
  int vocabulary() const { return vocabulary_; }
  std::size_t words() const { return (static_cast<std::size_t>(vocabulary_) + 31) / 32; }
  const VocabularyTrie& trie() const { return trie_; }
  /// Tokens of this byte alone.
  const std::vector<TokenId>& byte_tokens(std::uint8_t byte) const { return byte_tokens_[byte]; }
  /// The token's bytes where a guide may choose it as text; else empty.
  std::string_view text_of(TokenId token) const;

  const AutomatonTokens& string_tokens(ByteState at) const { return strings_[at]; }  ///< at < kStringStates
  AutomatonTokens tokens_of(const ByteAutomaton& automaton, ByteState at) const;

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  int vocabulary_;
  VocabularyTrie trie_;
  std::array<std::vector<TokenId>, 256> byte_tokens_;
  std::vector<AutomatonTokens> strings_;
};

}  // namespace pitwall
