// SPDX-License-Identifier: GPL-3.0-or-later
// The key of a block: 64 bits over its tokens and everything before them. Keys only say where to look;
// equality is always decided by the tokens.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/base/ids.h"

namespace pitwall {

using BlockHash = std::uint64_t (*)(std::uint64_t parent, std::span<const TokenId> tokens);

std::uint64_t chained_hash(std::uint64_t parent, std::span<const TokenId> tokens);

/// Folds a text into a key; its length counts, so that ("a", "bc") and ("ab", "c") differ.
std::uint64_t hash_text(std::uint64_t seed, std::string_view text);

}  // namespace pitwall
