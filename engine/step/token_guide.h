// SPDX-License-Identifier: GPL-3.0-or-later
// TokenGuide: which tokens may come next in one reply, by rules that the sampler does not know (a grammar).
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/ids.h"

namespace pitwall {

/// One bit for each token id, the lowest bit of a word first; set = may be chosen.
struct TokenMask {
  std::vector<std::uint32_t> words;
  bool allows(TokenId token) const {
    const auto index = static_cast<std::size_t>(token);
    return (words[index / 32] >> (index % 32) & 1) != 0;
  }
};

/// Follows one reply. One thread at a time.
class TokenGuide {
 public:
  virtual ~TokenGuide() = default;
  /// For the token that comes next; never without a bit set. An end token's bit is set where the reply may
  /// end here, and those alone where it must.
  virtual std::shared_ptr<const TokenMask> mask() = 0;
  /// The token was chosen. False where the mask forbids it: the guide stands as before.
  virtual bool accept(TokenId token) = 0;
};

/// Compiled once, begun for each reply. Thread-safe.
class GuideSource {
 public:
  virtual ~GuideSource() = default;
  virtual std::unique_ptr<TokenGuide> begin() const = 0;
};

}  // namespace pitwall
