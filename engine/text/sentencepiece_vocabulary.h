// SPDX-License-Identifier: GPL-3.0-or-later
// Vocabularies of scored pieces, from a .model or a GGUF file, as models.
#pragma once
#include <memory>
#include <vector>

#include "engine/text/pipeline_tokenizer.h"
#include "engine/text/sentencepiece_file.h"

namespace pitwall {

/// BPE by scores: of the pairs that join to a piece the one with the highest score is merged first. `frozen`:
/// texts that never merge. Only normal, user-defined and unused pieces are made of text.
std::shared_ptr<const TokenModel> make_scored_bpe(const std::vector<SentencePiece>& pieces, TokenId unknown,
                                                  std::vector<AddedToken> frozen);

struct ScoredUnigramOptions {
  TokenId unknown = -1;
  bool byte_fallback = false;
  /// SentencePiece sums in single precision, weighs user-defined pieces by their length and leaves unused
  /// ones out; llama.cpp does none of these.
  bool as_sentencepiece = true;
};
std::shared_ptr<const TokenModel> make_scored_unigram(const std::vector<SentencePiece>& pieces,
                                                      const ScoredUnigramOptions& options);

/// "▁" as a space and byte pieces as bytes; `drops_space`: the first token of a text loses one leading space.
TokenRendering render_pieces(const std::vector<SentencePiece>& pieces, bool drops_space);

}  // namespace pitwall
