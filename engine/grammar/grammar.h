// SPDX-License-Identifier: GPL-3.0-or-later
// Grammar: what a reply may be, as bytes. Parts that nest over automata that do not; built by GrammarBuilder,
// never changed afterwards, shared between threads.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/grammar/byte_automaton.h"
#include "engine/grammar/json_strings.h"

namespace pitwall {

using PartId = std::uint32_t;

struct GrammarPart {
  enum class Kind : std::uint8_t {
    bytes,     ///< what the automaton reads from `start` on
    sequence,  ///< `parts` one after the other; none: the empty text
    choice,    ///< one of `parts`; none: no text
    repeat,    ///< parts[0], min … max times
  };
  Kind kind = Kind::choice;
  ByteState start = 0;
  std::uint32_t min = 0, max = kUnlimited;  ///< times; of bytes from kStringOpen: characters
  std::vector<PartId> parts = {};
};

/// From every part a text can be finished; a repeated part is never empty.
struct Grammar {
  ByteAutomaton automaton;
  std::vector<GrammarPart> parts;
  PartId root = 0;
};

inline constexpr std::size_t kMostGrammarParts = 300'000;
inline constexpr std::size_t kMostByteStates = 1'000'000;

/// Building blocks. JSON by schema, patterns and free text add theirs through free functions in headers of
/// their own. One thread.
class GrammarBuilder {
 public:
  GrammarBuilder();

  PartId empty() { return empty_; }
  PartId nothing() { return nothing_; }  ///< no text: a choice's branch that cannot be
  PartId text(std::string_view bytes);
  PartId one_of(std::vector<std::string> texts);  ///< none: nothing()
  PartId bytes(ByteState start);
  PartId json_string(std::uint32_t min_characters, std::uint32_t max_characters);
  PartId sequence(std::vector<PartId> parts);
  PartId choice(std::vector<PartId> parts);
  PartId optional(PartId part) { return choice({part, empty_}); }
  PartId repeat(PartId part, std::uint32_t min, std::uint32_t max = kUnlimited);
  /// For parts that hold themselves: used at once, defined once later.
  PartId reserve();
  void define(PartId reserved, PartId as);

  ByteAutomaton& automaton() { return grammar_.automaton; }
  /// Parts and states are within their bounds so far; Error::out_of_memory.
  Result<void> check_size() const;
  /// Branches that can never be finished are dropped. invalid_input when nothing is left, or when a part that
  /// may be empty is repeated.
  Result<Grammar> finish(PartId root) &&;

 private:
  PartId add(GrammarPart part);
  Grammar grammar_;
  PartId empty_ = 0, nothing_ = 0;
};

}  // namespace pitwall
