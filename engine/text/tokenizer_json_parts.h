// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a tokenizer.json, one reader each. A part of another type than the format has throws
// nlohmann::json::exception, which tokenizer_json.cpp turns into an error that names the file.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/pipeline_tokenizer.h"

namespace pitwall::tokenizer_json {

/// The texts of all tokens as the file writes them, by id; empty where there is none.
using TokenTexts = std::vector<std::string>;

/// "The normalizer Foo of the tokenizer is not supported".
Error unsupported(std::string_view part, std::string_view value);
Error damaged(std::string what);
/// "type" of a part; empty when it is absent or null.
std::string type_of(const nlohmann::json& part);
/// A string or number that is absent or null is the fallback.
bool flag(const nlohmann::json& part, const char* key, bool fallback);
std::string text(const nlohmann::json& part, const char* key, std::string fallback);

/// A pattern of Split and Replace: {"String": …} or {"Regex": …}.
Result<Regex> read_pattern(const nlohmann::json& pattern);

Result<Normalizer> read_normalizer(const nlohmann::json& part);
Result<Pretokenizer> read_pretokenizer(const nlohmann::json& part);
/// A null decoder joins the tokens with spaces.
Result<TokenRendering> read_decoder(const nlohmann::json& part, const TokenTexts& texts);

/// Tokens of the model alone, by text; ids are checked.
Result<TokenTexts> read_model_tokens(const nlohmann::json& model);
/// `byte_level`: pieces come as bytes.
Result<std::shared_ptr<const TokenModel>> read_model(const nlohmann::json& model, const TokenTexts& texts,
                                                     bool byte_level);

/// Ids above this are no vocabulary but a damaged file.
inline constexpr TokenId kLargestId = (1 << 24) - 1;
Result<void> place_token(TokenTexts& texts, std::int64_t id, std::string text);

}  // namespace pitwall::tokenizer_json
