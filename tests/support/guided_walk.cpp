// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/guided_walk.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "engine/grammar/free_text.h"
#include "engine/grammar/json_schema.h"
#include "engine/grammar/matcher.h"

namespace pitwall::test {

namespace {

Result<std::shared_ptr<const Grammar>> finished(GrammarBuilder builder, const Result<PartId>& root) {
  if (!root.ok()) return root.error();
  auto grammar = std::move(builder).finish(*root);
  if (!grammar.ok()) return std::move(grammar).error();
  return std::shared_ptr<const Grammar>(std::make_shared<const Grammar>(*std::move(grammar)));
}

}  // namespace

std::vector<TokenId> allowed_tokens(const TokenMask& mask, int vocabulary) {
  std::vector<TokenId> tokens;
  for (std::size_t i = 0; i < mask.words.size(); ++i) {
    for (std::uint32_t word = mask.words[i]; word != 0; word &= word - 1)
      tokens.push_back(static_cast<TokenId>(i * 32) + std::countr_zero(word));
  }
  std::erase_if(tokens, [&](TokenId token) { return token >= vocabulary; });
  return tokens;
}

GuidedWalk::GuidedWalk(const TokenTable& table, unsigned seed) : table_(table), random_(seed) {
  closing_ = table.tokenizer().end_tokens();
  for (const char c : {'"', '}', ']'}) {
    const auto& tokens = table.byte_tokens(static_cast<std::uint8_t>(c));
    closing_.insert(closing_.end(), tokens.begin(), tokens.end());
  }
}

TokenId GuidedWalk::choose(const TokenMask& mask, int step) {
  const double chance = std::min(0.95, 0.2 + step * 0.01);
  if (std::uniform_real_distribution<>()(random_) < chance) {
    for (const TokenId token : closing_) {
      if (mask.allows(token)) return token;
    }
  }
  const std::vector<TokenId> tokens = allowed_tokens(mask, table_.vocabulary());
  return tokens[std::uniform_int_distribution<std::size_t>(0, tokens.size() - 1)(random_)];
}

std::optional<std::string> GuidedWalk::reply(TokenGuide& guide, int most) {
  std::string text;
  const auto& ends = table_.tokenizer().end_tokens();
  for (int step = 0; step < most; ++step) {
    const TokenId token = choose(*guide.mask(), step);
    if (!guide.accept(token)) return std::nullopt;
    if (std::ranges::find(ends, token) != ends.end()) return text;
    text += table_.tokenizer().bytes_of(token);
  }
  return std::nullopt;
}

Result<std::shared_ptr<const Grammar>> schema_grammar(const nlohmann::ordered_json& schema) {
  GrammarBuilder builder;
  const auto root = add_json_schema(builder, schema);
  return finished(std::move(builder), root);
}

Result<std::shared_ptr<const Grammar>> object_grammar() {
  GrammarBuilder builder;
  const PartId root = add_json_object(builder);
  return finished(std::move(builder), root);
}

Result<std::shared_ptr<const Grammar>> pattern_grammar(std::string_view pattern) {
  GrammarBuilder builder;
  const auto root = add_pattern(builder, pattern);
  return finished(std::move(builder), root);
}

Result<std::shared_ptr<const Grammar>> choice_grammar(std::vector<std::string> texts) {
  GrammarBuilder builder;
  const PartId root = builder.one_of(std::move(texts));
  return finished(std::move(builder), root);
}

bool matches(const std::shared_ptr<const Grammar>& grammar, std::string_view text) {
  Matcher matcher(grammar);
  const auto state = matcher.advance(matcher.start(), text);
  return state && matcher.readings(*state).may_end;
}

}  // namespace pitwall::test
