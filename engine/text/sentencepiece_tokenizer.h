// SPDX-License-Identifier: GPL-3.0-or-later
// tokenizer.model with the configuration beside it → TokenizerParts.
#pragma once
#include "engine/model/model.h"
#include "engine/text/pipeline_tokenizer.h"

namespace pitwall {

/// `data` of Source::sentencepiece. Where tokenizer_config.json does not say, a BPE model adds its BOS (as
/// Llama does) and a unigram model its EOS (as T5 does).
Result<TokenizerParts> read_sentencepiece_tokenizer(const VocabularyData& data);

}  // namespace pitwall
