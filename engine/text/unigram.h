// SPDX-License-Identifier: GPL-3.0-or-later
// Unigram language model: the row of tokens with the highest sum of scores (Kudo 2018; Viterbi).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/token_model.h"

namespace pitwall {

struct UnigramToken {
  std::string text;
  TokenId id = -1;
  double score = 0;  ///< log probability
};
struct UnigramVocabulary {
  std::vector<UnigramToken> tokens;
  double unknown_score = 0;  ///< of a character that is no token
  Fallback fallback;
  bool fuse_unknown = true;
  bool single_precision = false;  ///< sums are rounded to float, as SentencePiece does
};

std::shared_ptr<const TokenModel> make_unigram(UnigramVocabulary vocabulary);

}  // namespace pitwall
