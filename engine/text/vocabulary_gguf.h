// SPDX-License-Identifier: GPL-3.0-or-later
// The vocabulary of a GGUF file → BpeVocabulary.
#pragma once
#include "engine/model/model.h"
#include "engine/text/bpe_vocabulary.h"

namespace pitwall {

/// `data` of Source::gguf. Error::unsupported names the tokenizer model or pre-tokenizer that is not known.
Result<BpeVocabulary> bpe_vocabulary_of_gguf(const VocabularyData& data);

}  // namespace pitwall
