// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of BPE vocabularies share, whatever file they come from.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/text/bpe_merges.h"

namespace pitwall {

/// Token texts as the file writes them → ids. Views into the texts given.
using TokenIndex = std::unordered_map<std::string_view, TokenId>;
TokenIndex index_of(const std::vector<std::string>& texts);  ///< without empty ones; of equal texts the first

/// The bytes of a token's text: by the byte alphabet, or the text itself where it is none.
std::string token_bytes(std::string_view text);
/// The tokens of the 256 bytes by their characters in the byte alphabet; −1 where there is none.
std::vector<TokenId> byte_tokens_of_alphabet(const TokenIndex& index);
/// The tokens "<0x00>" … "<0xFF>"; −1 where there is none.
std::vector<TokenId> fallback_bytes(const TokenIndex& index);
std::string fallback_byte_name(unsigned byte);  ///< "<0x0A>"

/// The merge of two token texts; an error names the rank and the text that is no token. The first
/// `prefix_characters` of the right text are not part of the merged one.
Result<BpeMerge> resolve_merge(const TokenIndex& index, std::string_view left, std::string_view right,
                               std::size_t rank, std::size_t prefix_characters = 0);
/// The same from "left right".
Result<BpeMerge> resolve_merge_line(const TokenIndex& index, std::string_view line, std::size_t rank,
                                    std::size_t prefix_characters = 0);

/// The last code point of the left and the first of the right text of every merge.
std::vector<std::pair<char32_t, char32_t>> joints_of(const std::vector<BpeMerge>& merges,
                                                     const std::vector<std::string>& texts);

}  // namespace pitwall
