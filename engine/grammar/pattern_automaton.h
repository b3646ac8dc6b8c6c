// SPDX-License-Identifier: GPL-3.0-or-later
// A regular expression's automaton: tree → nondeterministic automaton (Thompson, 1968) → subsets of its
// states (Rabin and Scott, 1959), with bounds on each.
#pragma once
#include <string_view>

#include "engine/grammar/character_automaton.h"

namespace pitwall {

enum class PatternUse {
  whole,   ///< the text is what the pattern describes
  search,  ///< the pattern matches somewhere in the text (JSON Schema's `pattern`)
};

/// The texts that match; without a state when there is none. Errors of parse_pattern, and
/// Error::out_of_memory for a pattern that grows beyond the bounds.
Result<CharacterAutomaton> pattern_automaton(std::string_view pattern, PatternUse use);

}  // namespace pitwall
