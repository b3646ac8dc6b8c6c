// SPDX-License-Identifier: GPL-3.0-or-later
// The automaton of a JSON string (RFC 8259 §7) over UTF-8 bytes: the first states of every grammar's pool, so
// that what it makes of a vocabulary is worked out once for each tokenizer. Its characters can be counted.
#pragma once
#include "engine/grammar/byte_automaton.h"

namespace pitwall {

/// The end of this automaton and of every literal text: accepting, nothing follows.
inline constexpr ByteState kEndState = 0;
/// Inside a string, between characters. A byte other than the closing quote begins a character here.
inline constexpr ByteState kStringBody = 1;
/// In front of the opening quote.
inline constexpr ByteState kStringOpen = 2;
inline constexpr ByteState kStringStates = 22;  ///< states 0 … 21 are these

inline constexpr std::uint32_t kUnlimited = 0xFFFF'FFFF;

/// Any characters, all escapes; \u escapes of surrogates only in pairs. The pool must be empty.
void add_json_string(ByteAutomaton& automaton);

/// How many characters a string may still take; of other texts {0, kUnlimited}.
struct CharacterBounds {
  std::uint32_t min = 0, max = kUnlimited;
  auto operator<=>(const CharacterBounds&) const = default;

  /// Steps over `byte` in `state`; false where the count forbids it.
  bool take(ByteState state, std::uint8_t byte) {
    if (state != kStringBody) return true;
    if (byte == '"') {
      if (min > 0) return false;
      max = kUnlimited;
      return true;
    }
    if (max == 0) return false;
    if (max != kUnlimited) --max;
    if (min > 0) --min;
    return true;
  }
};

}  // namespace pitwall
