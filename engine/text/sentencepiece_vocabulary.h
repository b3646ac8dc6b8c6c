// SPDX-License-Identifier: GPL-3.0-or-later
// Vocabularies of scored pieces, from a .model or a GGUF file, as models.
#pragma once
#include <memory>
#include <vector>

#include "engine/text/pipeline_tokenizer.h"
#include "engine/text/sentencepiece_file.h"

namespace pitwall {

/// BPE by scores: of the pairs that join to a piece the one with the highest score is merged first. Only
/// normal, user-defined and unused pieces are made of text.
std::shared_ptr<const TokenModel> make_scored_bpe(const std::vector<SentencePiece>& pieces, TokenId unknown);

struct ScoredUnigramOptions {
  TokenId unknown = -1;
  bool byte_fallback = false;
  bool as_sentencepiece = true;  ///< sums in single precision, without unused pieces; llama.cpp does neither
};
std::shared_ptr<const TokenModel> make_scored_unigram(const std::vector<SentencePiece>& pieces,
                                                      const ScoredUnigramOptions& options);

/// `model`, which does not see the texts of `kept`: the longest at each place, from the left, is its id.
std::shared_ptr<const TokenModel> make_keeping(std::shared_ptr<const TokenModel> model,
                                               std::vector<AddedToken> kept);

/// "▁" as a space and byte pieces as bytes; `drops_space`: the first token of a text loses one leading space.
TokenRendering render_pieces(const std::vector<SentencePiece>& pieces, bool drops_space);

}  // namespace pitwall
