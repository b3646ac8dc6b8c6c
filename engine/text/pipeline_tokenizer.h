// SPDX-License-Identifier: GPL-3.0-or-later
// The one Tokenizer: added tokens → normalizer → pre-tokenizer → model, whatever file the parts came from.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/text/normalizer.h"
#include "engine/text/pretokenizer.h"
#include "engine/text/special_tokens.h"
#include "engine/text/token_model.h"
#include "engine/text/tokenizer.h"

namespace pitwall {

/// What each id is in a text.
struct TokenRendering {
  std::vector<std::string> bytes;                        ///< by id; empty where there is no token
  std::unordered_map<TokenId, std::string> first_bytes;  ///< where the first token of a text is different
};

struct TokenizerParts {
  TokenRendering rendering;
  std::vector<AddedToken> added;
  Normalizer normalizer;
  bool prefix_once = false;  ///< what the normalizer puts in front comes at the start of a text only
  Pretokenizer pretokenizer;
  std::shared_ptr<const TokenModel> model;
  std::vector<TokenId> prefix, suffix;  ///< put around a text with add_special
  std::optional<TokenId> bos, eos;
  std::vector<TokenId> end_tokens;
};

std::shared_ptr<const Tokenizer> make_pipeline_tokenizer(TokenizerParts parts);

/// `known` (eos, end of turn …) and every special token whose name is one that chat models end a reply with.
std::vector<TokenId> collect_end_tokens(const std::vector<std::optional<TokenId>>& known,
                                        const std::vector<AddedToken>& added);

}  // namespace pitwall
