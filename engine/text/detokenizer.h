// SPDX-License-Identifier: GPL-3.0-or-later
// Streaming detokeniser: tokens in, whole UTF-8 characters out.
#pragma once
#include <memory>
#include <string>

#include "engine/text/tokenizer.h"

namespace pitwall {

/// One per sequence; not thread-safe. Joined outputs + flush() equal the whole decode, invalid bytes as
/// U+FFFD.
class Detokenizer {
 public:
  /// `follows_text`: the tokens continue a text, so that the first one keeps its leading space.
  Detokenizer(std::shared_ptr<const Tokenizer> tokenizer, bool skip_special, bool follows_text = false);
  /// Every character that is complete now; an incomplete tail is held back. A byte that can start nothing
  /// gives one U+FFFD at once.
  std::string push(TokenId token);
  std::string flush();  ///< U+FFFD for an unfinished character, else empty

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  bool skip_special_, inside_text_;
  std::string pending_;
};

/// Whole decode of ids.
std::string decode(const std::shared_ptr<const Tokenizer>& tokenizer, const std::vector<TokenId>& ids,
                   bool skip_special);

}  // namespace pitwall
