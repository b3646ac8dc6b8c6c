// SPDX-License-Identifier: GPL-3.0-or-later
// tokenizer_config.json and added_tokens.json beside a tokenizer, as far as ids depend on them.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/pipeline_tokenizer.h"

namespace pitwall {

struct TokenizerConfig {
  std::string bos, eos;                  ///< texts; empty when not named
  std::optional<bool> add_bos, add_eos;  ///< none when the file does not say
  std::optional<bool> legacy;            ///< SentencePiece: a leading space behind every added token too
  std::vector<AddedToken> added;         ///< added_tokens_decoder, and added_tokens.json beside the file
};

/// A file that does not exist says nothing.
Result<TokenizerConfig> read_tokenizer_config(const std::filesystem::path& file);

/// The id of a token's text.
std::optional<TokenId> find_token(const std::vector<std::string>& texts, std::string_view text);
/// Sets the end tokens: the tokenizer's own, those that the model names, and well-known names.
void finish_end_tokens(TokenizerParts& parts, const VocabularyData& data);

}  // namespace pitwall
