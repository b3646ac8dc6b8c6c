// SPDX-License-Identifier: GPL-3.0-or-later
// A byte-level BPE vocabulary in one form, whatever file it came from, and what its readers share.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/text/bpe_merges.h"
#include "engine/text/pretokenizer.h"
#include "engine/text/special_tokens.h"

namespace pitwall {

struct BpeVocabulary {
  std::vector<std::string> tokens;  ///< the bytes of each id
  std::vector<BpeMerge> merges;     ///< in order of rank
  std::vector<AddedToken> added;
  Pretokenizer pretokenizer;
  bool whole_pieces_first = false;  ///< a piece that is a token becomes that token, whatever the merges say
  std::vector<TokenId> prefix, suffix;  ///< put around a text with add_special
  std::optional<TokenId> bos, eos;
  std::vector<TokenId> end_tokens;
};

/// Token texts as the file writes them → ids. Views into the texts given.
using TokenIndex = std::unordered_map<std::string_view, TokenId>;

/// The bytes of a token's text: by the byte alphabet, or the text itself where it is none.
std::string token_bytes(std::string_view text);

/// The merge of two token texts; an error names the rank and the text that is no token.
Result<BpeMerge> resolve_merge(const TokenIndex& index, std::string_view left, std::string_view right,
                               std::size_t rank);
/// The same from "left right".
Result<BpeMerge> resolve_merge_line(const TokenIndex& index, std::string_view line, std::size_t rank);

/// `known` (eos, end of turn) and every special token whose name is one that chat models end a reply with.
std::vector<TokenId> collect_end_tokens(const std::vector<std::optional<TokenId>>& known,
                                        const std::vector<AddedToken>& added);

}  // namespace pitwall
