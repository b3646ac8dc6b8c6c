// SPDX-License-Identifier: GPL-3.0-or-later
// BPE that starts from characters: SentencePiece's kind (Llama 2, Mistral, Gemma) and others without the byte
// alphabet.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/text/token_model.h"

namespace pitwall {

struct CharacterBpeVocabulary {
  /// Where a piece begins: the symbol of each character, as the token's text is written. With a prefix or a
  /// suffix the text of a character within or at the end of a piece has it around.
  std::unordered_map<std::string, TokenId> symbols;
  std::string continuing_prefix, end_suffix;
  std::vector<BpeMerge> merges;
  /// Two characters between which no merge joins anything are cut apart first, which is much faster. Last and
  /// first code points of what each merge joins; empty: nothing is known.
  std::vector<std::pair<char32_t, char32_t>> joints;
  std::unordered_map<std::string, TokenId> whole_pieces;  ///< as in byte_bpe.h
  Fallback fallback;
  bool fuse_unknown = false;  ///< a run of unknown characters is one token
  /// Symbols from here on are no tokens but characters that only merge: their texts.
  TokenId first_fragment = INT32_MAX;
  std::vector<std::string> fragments;
};

std::shared_ptr<const TokenModel> make_character_bpe(CharacterBpeVocabulary vocabulary);

}  // namespace pitwall
