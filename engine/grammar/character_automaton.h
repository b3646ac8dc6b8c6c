// SPDX-License-Identifier: GPL-3.0-or-later
// Deterministic automata over characters (Unicode scalar values): what patterns, lengths and names make of a
// text, before it is spelled in bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/grammar/byte_automaton.h"

namespace pitwall {

/// Without surrogates.
struct CharacterRange {
  char32_t low = 0, high = 0;
};
inline constexpr char32_t kLastCharacter = 0x10FFFF;

/// Start at state 0; edges of a state are sorted and do not overlap. No state: no text at all.
struct CharacterAutomaton {
  struct Edge {
    char32_t low = 0, high = 0;
    std::uint32_t to = 0;
  };
  struct State {
    std::vector<Edge> edges;
    bool accepting = false;
  };
  std::vector<State> states;

  bool accepts(std::string_view utf8) const;
};

inline constexpr std::size_t kMostCharacterStates = 20'000;

CharacterAutomaton any_text();
CharacterAutomaton text_among(const std::vector<std::string>& texts);

// The results hold only states that can be reached and from which a text can end. Error::out_of_memory above
// kMostCharacterStates.
Result<CharacterAutomaton> texts_of_both(const CharacterAutomaton& a, const CharacterAutomaton& b);
Result<CharacterAutomaton> texts_of_first_alone(const CharacterAutomaton& a, const CharacterAutomaton& b);
/// Those of min … max characters; max may be kUnlimited.
Result<CharacterAutomaton> texts_of_length(const CharacterAutomaton& texts, std::uint32_t min,
                                           std::uint32_t max);
/// Without the states from which no text can end.
CharacterAutomaton without_dead_ends(const CharacterAutomaton& texts);

enum class Spelling {
  utf8,         ///< the text itself
  json_string,  ///< in quotes; one spelling of each character: escaped where JSON asks for it, else UTF-8
};
/// The first state of the same texts in bytes. `texts` must hold one and have no dead ends; `end` comes after
/// the closing quote (Spelling::json_string).
ByteState spell(const CharacterAutomaton& texts, Spelling spelling, ByteState end, ByteAutomaton& out);

}  // namespace pitwall
