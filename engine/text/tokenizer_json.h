// SPDX-License-Identifier: GPL-3.0-or-later
// tokenizer.json, the Hugging Face tokenizers format → BpeVocabulary.
#pragma once
#include <filesystem>

#include "engine/text/bpe_vocabulary.h"

namespace pitwall {

/// `config`: the tokenizer_config.json beside it, for the names of bos and eos; may not exist.
/// Error::unsupported names the part of the pipeline that is not known here.
Result<BpeVocabulary> bpe_vocabulary_of_json(const std::filesystem::path& file,
                                             const std::filesystem::path& config);

}  // namespace pitwall
