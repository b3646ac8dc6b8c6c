// SPDX-License-Identifier: GPL-3.0-or-later
// Masks of a grammar's states over a vocabulary, made when a state first comes and remembered.
#pragma once
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/grammar/matcher.h"
#include "engine/grammar/token_table.h"
#include "engine/step/token_guide.h"

namespace pitwall {

/// One thread at a time. What is remembered stays below `most_bytes`; beyond that all is forgotten and begun
/// anew.
class MaskStore {
 public:
  /// `end_tokens` are allowed where a state may end, whatever their texts.
  MaskStore(std::shared_ptr<const TokenTable> table, std::vector<TokenId> end_tokens, std::size_t most_bytes);

  std::shared_ptr<const TokenMask> mask(Matcher& matcher, StateId state);
  std::size_t memory() const { return memory_; }

 private:
  struct Visit {
    VocabularyTrie::Node node;
    Reading reading;
    bool operator==(const Visit&) const = default;
  };
  struct VisitHash {
    std::size_t operator()(const Visit& visit) const;
  };

  TokenMask make(Matcher& matcher, StateId state);
  const AutomatonTokens& tokens_of(const ByteAutomaton& automaton, ByteState at);
  void add(Matcher& matcher, const Reading& reading, TokenMask& mask);
  void read_on(Matcher& matcher, VocabularyTrie::Node node, StackId then, TokenMask& mask);
  void remember(std::size_t bytes);

  std::shared_ptr<const TokenTable> table_;
  std::vector<TokenId> end_tokens_;
  std::size_t most_bytes_, memory_ = 0;
  std::unordered_map<StateId, std::shared_ptr<const TokenMask>> masks_;
  std::unordered_map<ByteState, AutomatonTokens> automaton_tokens_;
  std::unordered_set<Visit, VisitHash> visited_;  ///< while one mask is made
};

}  // namespace pitwall
