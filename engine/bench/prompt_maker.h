// SPDX-License-Identifier: GPL-3.0-or-later
// PromptMaker: the prompts of a trace for a real model, as token ids or as text. What is equal in the trace
// is equal here, and nothing else is.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/bench/trace.h"
#include "engine/text/tokenizer.h"

namespace pitwall {

class PromptMaker {
 public:
  /// Prompts of another seed have nothing in common with these. `tokenizer` may be null: then ids are those
  /// below `vocabulary`, and text is made of common English words, one for each token. The trace outlives
  /// this.
  PromptMaker(const Trace& trace, std::uint64_t seed, std::shared_ptr<const Tokenizer> tokenizer,
              int vocabulary = 0);

  bool knows_tokens() const { return !ordinary_.empty(); }
  /// As many as the trace says; control tokens never.
  std::vector<TokenId> tokens(std::size_t index) const;
  /// Text that has as many tokens as the trace says, where there is a tokenizer; within 1 % where its words
  /// cannot be cut so. `tokens` is set to how many there are, special ones that the server adds left out; −1
  /// without a tokenizer.
  std::string text(std::size_t index, std::int32_t* tokens = nullptr) const;

 private:
  std::uint64_t draw(std::size_t index, std::size_t position, TokenId simulated) const;
  const std::string& word(std::uint64_t draw) const;

  const Trace& trace_;
  std::uint64_t seed_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<TokenId> ordinary_;   // ids that may stand in a prompt
  std::vector<std::string> words_;  // " word", each one token where there is a tokenizer
};

}  // namespace pitwall
