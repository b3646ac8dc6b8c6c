// SPDX-License-Identifier: GPL-3.0-or-later
// From a grammar and a tokenizer's table to the guide of a reply.
#pragma once
#include <memory>
#include <vector>

#include "engine/grammar/grammar.h"
#include "engine/grammar/token_table.h"
#include "engine/step/token_guide.h"

namespace pitwall {

struct GuideOptions {
  std::vector<TokenId> end_tokens = {};            ///< none: the tokenizer's
  std::size_t most_bytes = std::size_t{32} << 20;  ///< of remembered masks, and again of states
};

/// The source may be kept and begun for any number of replies, from any thread; their guides share what they
/// find out and lock for each call. A reply follows its prompt: the first token has the bytes that it has
/// anywhere. invalid_input without an end token; unsupported when a byte that the grammar may ask for has no
/// token of its own, because then a reply could come to a place where no token fits.
Result<std::shared_ptr<const GuideSource>> make_grammar_guide(std::shared_ptr<const Grammar> grammar,
                                                              std::shared_ptr<const TokenTable> table,
                                                              GuideOptions options = {});

}  // namespace pitwall
