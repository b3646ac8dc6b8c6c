// SPDX-License-Identifier: GPL-3.0-or-later
// Models without merges: a word is a token (WordLevel), or a row of the longest tokens it begins with
// (WordPiece).
#pragma once
#include <memory>
#include <string>
#include <unordered_map>

#include "engine/text/token_model.h"

namespace pitwall {

using WordVocabulary = std::unordered_map<std::string, TokenId>;

/// A word that is no token is `unknown`; −1: it is left out.
std::shared_ptr<const TokenModel> make_word_level(WordVocabulary words, TokenId unknown);

struct WordPieceOptions {
  std::string continuing_prefix = "##";  ///< in front of the text of tokens inside a word
  std::size_t longest_word = 100;        ///< code points; longer words are unknown
  TokenId unknown = -1;
};
std::shared_ptr<const TokenModel> make_word_piece(const WordVocabulary& words, WordPieceOptions options);

}  // namespace pitwall
