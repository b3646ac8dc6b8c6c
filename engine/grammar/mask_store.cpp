// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/mask_store.h"

#include "engine/grammar/hash.h"

namespace pitwall {

namespace {

void set(TokenMask& mask, TokenId token, bool allowed) {
  const auto index = static_cast<std::size_t>(token);
  const std::uint32_t bit = 1u << (index % 32);
  mask.words[index / 32] = allowed ? mask.words[index / 32] | bit : mask.words[index / 32] & ~bit;
}

}  // namespace

MaskStore::MaskStore(std::shared_ptr<const TokenTable> table, std::vector<TokenId> end_tokens,
                     std::size_t most_bytes)
    : table_(std::move(table)), end_tokens_(std::move(end_tokens)), most_bytes_(most_bytes) {}

std::shared_ptr<const TokenMask> MaskStore::mask(Matcher& matcher, StateId state) {
  if (const auto known = masks_.find(state); known != masks_.end()) return known->second;
  auto made = std::make_shared<const TokenMask>(make(matcher, state));
  remember(made->words.size() * sizeof(made->words[0]));
  masks_.emplace(state, made);
  return made;
}

TokenMask MaskStore::make(Matcher& matcher, StateId state) {
  TokenMask mask{.words = std::vector<std::uint32_t>(table_->words())};
  const Readings& readings = matcher.readings(state);
  visited_.clear();
  for (const Reading& reading : readings.list) add(matcher, reading, mask);
  for (const TokenId token : end_tokens_) set(mask, token, readings.may_end);
  return mask;
}

const AutomatonTokens& MaskStore::tokens_of(const ByteAutomaton& automaton, ByteState at) {
  if (at < kStringStates) return table_->string_tokens(at);
  const auto known = automaton_tokens_.find(at);
  if (known != automaton_tokens_.end()) return known->second;
  AutomatonTokens made = table_->tokens_of(automaton, at);
  remember(made.memory());
  return automaton_tokens_.emplace(at, std::move(made)).first->second;
}

/// Tokens that the reading allows from here.
void MaskStore::add(Matcher& matcher, const Reading& reading, TokenMask& mask) {
  const AutomatonTokens& tokens = tokens_of(matcher.grammar().automaton, reading.at);
  const CharacterBounds& bounds = reading.characters;
  if (tokens.counted.empty() || tokens.counted.front().characters <= bounds.max) {
    tokens.allowed.add_to(mask.words);
  } else {
    std::vector<std::uint32_t> allowed(mask.words.size());
    tokens.allowed.add_to(allowed);
    for (const auto& [characters, token] : tokens.counted) {
      if (characters <= bounds.max) break;
      allowed[static_cast<std::size_t>(token) / 32] &= ~(1u << (token % 32));
    }
    for (std::size_t i = 0; i < allowed.size(); ++i) mask.words[i] |= allowed[i];
  }
  const bool counts = reading.at < kStringStates;
  for (const auto& [node, characters] : tokens.exits) {
    const bool fits = !counts || (characters >= bounds.min && characters <= bounds.max);
    if (fits) read_on(matcher, node, reading.then, mask);
  }
}

/// The automaton has ended inside a token, at `node`.
void MaskStore::read_on(Matcher& matcher, VocabularyTrie::Node node, StackId then, TokenMask& mask) {
  const VocabularyTrie& trie = table_->trie();
  if (!trie.goes_on(node)) return;
  const ByteAutomaton& automaton = matcher.grammar().automaton;
  for (const Reading& reading : matcher.behind(then).list) {
    if (!visited_.insert({node, reading}).second) continue;
    trie.walk(node, automaton, reading.at, reading.characters,
              [&](VocabularyTrie::Node at, ByteState state, const CharacterBounds&, std::uint32_t) {
                for (const TokenId token : trie.tokens(at)) set(mask, token, true);
                if (automaton.accepting(state)) read_on(matcher, at, reading.then, mask);
              });
  }
}

void MaskStore::remember(std::size_t bytes) {
  if (memory_ + bytes > most_bytes_) {
    masks_.clear();
    automaton_tokens_.clear();
    memory_ = 0;
  }
  memory_ += bytes;
}

std::size_t MaskStore::VisitHash::operator()(const Visit& visit) const {
  const Reading& reading = visit.reading;
  std::uint64_t hash = mix_hash(visit.node, static_cast<std::uint64_t>(reading.at) << 32 | reading.then);
  return mix_hash(hash, static_cast<std::uint64_t>(reading.characters.min) << 32 | reading.characters.max);
}

}  // namespace pitwall
