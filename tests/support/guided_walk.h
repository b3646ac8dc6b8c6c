// SPDX-License-Identifier: GPL-3.0-or-later
// Replies drawn at random from a guide's masks, and what a test asks of a grammar in one line.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/grammar/grammar_guide.h"

namespace pitwall::test {

std::vector<TokenId> allowed_tokens(const TokenMask& mask, int vocabulary);

/// Draws tokens until an end token comes. Tokens that close something are liked more and more, so that
/// replies end.
class GuidedWalk {
 public:
  GuidedWalk(const TokenTable& table, unsigned seed);
  /// One of the allowed tokens; `step`: how many have come before.
  TokenId choose(const TokenMask& mask, int step);
  /// The reply's text; nullopt after `most` tokens without an end, or when the guide refused its own mask.
  std::optional<std::string> reply(TokenGuide& guide, int most = 3000);

 private:
  const TokenTable& table_;
  std::mt19937 random_;
  std::vector<TokenId> closing_;
};

/// Grammars from one part; an error fails the caller's test by its text.
Result<std::shared_ptr<const Grammar>> schema_grammar(const nlohmann::ordered_json& schema);
Result<std::shared_ptr<const Grammar>> object_grammar();
Result<std::shared_ptr<const Grammar>> pattern_grammar(std::string_view pattern);
Result<std::shared_ptr<const Grammar>> choice_grammar(std::vector<std::string> texts);

/// Whether `text` is a whole text of the grammar.
bool matches(const std::shared_ptr<const Grammar>& grammar, std::string_view text);

}  // namespace pitwall::test
