// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-level BPE: GPT-2's family of tokenizers (SmolLM, Llama 3 …).
#pragma once
#include <memory>

#include "engine/text/bpe_vocabulary.h"
#include "engine/text/tokenizer.h"

namespace pitwall {

std::shared_ptr<const Tokenizer> make_bpe_tokenizer(BpeVocabulary vocabulary);

}  // namespace pitwall
