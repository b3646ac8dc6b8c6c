// SPDX-License-Identifier: GPL-3.0-or-later
// The tokenizer.* keys of a GGUF file as VocabularyData.
#pragma once
#include "engine/model/gguf_metadata.h"
#include "engine/model/model.h"

namespace pitwall {

/// Source::none when the file has no tokenizer. Arrays must agree in length and special ids must lie inside.
Result<VocabularyData> read_gguf_vocabulary(const GgufMetadata& metadata);

}  // namespace pitwall
