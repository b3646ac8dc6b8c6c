// SPDX-License-Identifier: GPL-3.0-or-later
// Guides for tests: a rule says of each token whether it may follow the reply so far.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "engine/step/token_guide.h"

namespace pitwall::test {

using TokenRule = std::function<bool(const std::vector<TokenId>& reply, TokenId token)>;

/// Its masks are empty where the rule allows no token of the vocabulary. `accepts`: what a guide at odds with
/// its own masks says.
class RuleGuide final : public GuideSource {
 public:
  RuleGuide(int vocabulary, TokenRule rule, TokenRule accepts)
      : vocabulary_(vocabulary), rule_(std::move(rule)), accepts_(accepts ? std::move(accepts) : rule_) {}
  std::unique_ptr<TokenGuide> begin() const override { return std::make_unique<Walk>(*this); }

 private:
  class Walk final : public TokenGuide {
   public:
    explicit Walk(const RuleGuide& source) : source_(source) {}
    std::shared_ptr<const TokenMask> mask() override {
      auto mask = std::make_shared<TokenMask>();
      mask->words.resize(static_cast<std::size_t>(source_.vocabulary_ + 31) / 32);
      for (TokenId token = 0; token < source_.vocabulary_; ++token) {
        if (source_.rule_(reply_, token))
          mask->words[static_cast<std::size_t>(token) / 32] |= 1U << token % 32;
      }
      return mask;
    }
    bool accept(TokenId token) override {
      if (!source_.accepts_(reply_, token)) return false;
      reply_.push_back(token);
      return true;
    }

   private:
    const RuleGuide& source_;
    std::vector<TokenId> reply_;
  };

  int vocabulary_;
  TokenRule rule_, accepts_;
};

inline std::shared_ptr<const GuideSource> rule_guide(int vocabulary, TokenRule rule, TokenRule accepts = {}) {
  return std::make_shared<RuleGuide>(vocabulary, std::move(rule), std::move(accepts));
}

}  // namespace pitwall::test
