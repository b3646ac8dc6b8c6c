// SPDX-License-Identifier: GPL-3.0-or-later
// LogitChanges: how a request's parameters and the tokens it has so far change the logits of its next one.
// Counts are kept token by token; the guide stands where the reply does, whatever happens to its KV.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/step/step_plan.h"

namespace pitwall {

class LogitChanges {
 public:
  /// `sampling` outlives this object.
  LogitChanges(const SamplingParams& sampling, std::span<const TokenId> prompt);

  /// The change depends on which tokens came, not only on how many: each must be taken before next().
  bool needs_tokens() const { return sampling_.penalises() || sampling_.guide != nullptr; }

  /// Of the token that follows `outputs` tokens of the reply; nothing where its logits stay as they are, or
  /// where the guide leaves no token: take() will say so. The same until the next take().
  std::optional<LogitChange> next(int outputs);

  /// The reply's next token. An error, and nothing has changed: the guide refuses it, or any.
  Result<void> take(TokenId token);

 private:
  struct Count {
    float bias = 0;
    int outputs = 0;  // times in the reply
  };
  std::size_t place_of(TokenId token);
  void ask_guide();
  bool leaves_only_ends() const;

  const SamplingParams& sampling_;
  std::vector<TokenId> ends_;               // each once; empty without min_tokens
  std::vector<LogitChange::Token> tokens_;  // of every change
  std::vector<Count> counts_;               // by place in tokens_
  std::unordered_map<TokenId, std::size_t> places_;
  std::unique_ptr<TokenGuide> guide_;  // begun when its first mask is wanted
  std::shared_ptr<const TokenMask> mask_;
};

}  // namespace pitwall
