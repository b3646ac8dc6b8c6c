// SPDX-License-Identifier: GPL-3.0-or-later
// The heart of a tokenizer: one piece of text → ids. Implementations: byte_bpe, character_bpe, unigram,
// word_models.
#pragma once
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/text/bpe_merges.h"

namespace pitwall {

/// Immutable, shared between threads.
class TokenModel {
 public:
  virtual ~TokenModel() = default;

  /// The best way to each place in a piece (unigram).
  struct Step {
    double score;
    std::int32_t from;  ///< −1: not reached
    TokenId id;
  };
  /// What one call needs; one per thread, reused between pieces.
  struct Workspace {
    BpeMerges::Workspace merges;
    std::vector<Step> steps;
  };
  /// Appends the ids of `piece`: valid UTF-8, or bytes behind a byte-level pre-tokenizer.
  virtual void encode(std::string_view piece, Workspace& workspace, std::vector<TokenId>& out) const = 0;
  /// The same for bytes that are part of no character.
  virtual void encode_invalid(std::string_view bytes, Workspace& workspace,
                              std::vector<TokenId>& out) const = 0;
};

/// What a character becomes that is in no token.
struct Fallback {
  std::vector<TokenId> bytes;  ///< 256 tokens, −1 where there is none; empty without byte fallback
  TokenId unknown = -1;
  /// False when a byte of `text` has no token.
  bool append_bytes(std::string_view text, std::vector<TokenId>& out) const;
};

}  // namespace pitwall
