// SPDX-License-Identifier: GPL-3.0-or-later
// tokenizer.json, the Hugging Face tokenizers format → TokenizerParts.
#pragma once
#include "engine/model/model.h"
#include "engine/text/pipeline_tokenizer.h"

namespace pitwall {

/// `data` of Source::tokenizer_json. Error::unsupported names the part of the pipeline that is not known
/// here; other errors name the file and what is wrong in it.
Result<TokenizerParts> read_tokenizer_json(const VocabularyData& data);

}  // namespace pitwall
