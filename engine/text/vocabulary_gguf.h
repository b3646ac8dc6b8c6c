// SPDX-License-Identifier: GPL-3.0-or-later
// The vocabulary of a GGUF file → TokenizerParts, with llama.cpp's rules.
#pragma once
#include "engine/model/model.h"
#include "engine/text/pipeline_tokenizer.h"

namespace pitwall {

/// `data` of Source::gguf. Error::unsupported names the tokenizer model or pre-tokenizer that is not known.
Result<TokenizerParts> read_gguf_tokenizer(const VocabularyData& data);

}  // namespace pitwall
