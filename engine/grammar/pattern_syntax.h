// SPDX-License-Identifier: GPL-3.0-or-later
// Regular expressions as a tree: ECMA-262's syntax with the u flag, as JSON Schema's `pattern` has it, as far
// as it stays regular.
#pragma once
#include <string_view>
#include <vector>

#include "engine/grammar/character_automaton.h"

namespace pitwall {

struct PatternNode {
  enum class Kind {
    characters,  ///< one of `ranges`; none: matches nothing
    sequence,    ///< `parts` one after the other; none: the empty text
    choice,      ///< one of `parts`
    repeat,      ///< parts[0], min … max times; max may be kUnlimited
    begin,       ///< ^
    end,         ///< $
  };
  Kind kind = Kind::sequence;
  std::vector<CharacterRange> ranges = {};  ///< sorted, apart from each other
  std::vector<std::size_t> parts = {};
  std::uint32_t min = 0, max = 0;
};

struct PatternTree {
  std::vector<PatternNode> nodes;
  std::size_t root = 0;
};

inline constexpr std::size_t kLongestPattern = 64 * 1024;  ///< bytes
inline constexpr int kDeepestPattern = 200;                ///< groups inside groups

/// Known: . | ( ) (?: ) (?<name> ) [ ] * + ? {n,m} and their lazy forms, ^ $ \A \z \Z, \d \w \s and their
/// complements, \t \n \r \f \v \0 \xHH \uHHHH \u{H…} \cX, and escaped punctuation. Look-around,
/// back-references, \b, \p and flags are Error::unsupported; what is no pattern is invalid_input. Both name
/// the byte.
Result<PatternTree> parse_pattern(std::string_view pattern);

}  // namespace pitwall
