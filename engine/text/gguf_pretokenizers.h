// SPDX-License-Identifier: GPL-3.0-or-later
// The pre-tokenizers that GGUF files name in tokenizer.ggml.pre, as llama.cpp defines them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace pitwall {

struct GgufPretokenizer {
  std::vector<std::string> patterns;
  bool whole_pieces_first = false;  ///< a piece that is a token becomes it, whatever the merges say
  bool add_bos = false;             ///< where the file does not say
  bool byte_level = true;           ///< false: spaces become "▁" and merging starts from characters
};

/// Error::unsupported for a name that is not known.
Result<GgufPretokenizer> gguf_pretokenizer(std::string_view name);

}  // namespace pitwall
