// SPDX-License-Identifier: GPL-3.0-or-later
// BPE that starts from bytes: GPT-2's family of tokenizers (SmolLM, Llama 3, Qwen …).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/text/token_model.h"

namespace pitwall {

struct ByteBpeVocabulary {
  std::vector<TokenId> bytes;  ///< 256 tokens; −1: such bytes are left out
  std::vector<BpeMerge> merges;
  /// A piece that is one of these tokens becomes it, whatever the merges say; bytes and id.
  std::vector<std::pair<std::string, TokenId>> whole_pieces;
};

std::shared_ptr<const TokenModel> make_byte_bpe(ByteBpeVocabulary vocabulary);

}  // namespace pitwall
