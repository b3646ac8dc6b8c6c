// SPDX-License-Identifier: GPL-3.0-or-later
// Where a reply stands in its grammar: a pushdown automaton that follows all readings at once. Equal places
// are one state with one number, so that what is worked out for a state serves again.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/grammar/grammar.h"

namespace pitwall {

using StackId = std::uint32_t;
using StateId = std::uint32_t;

/// One reading: inside an automaton, with what comes behind it.
struct Reading {
  ByteState at = 0;
  CharacterBounds characters;
  StackId then = 0;
  auto operator<=>(const Reading&) const = default;
};

/// All readings of what has been written, sorted, one for each (at, characters). `may_end`: it is a whole
/// text.
struct Readings {
  std::vector<Reading> list;
  bool may_end = false;
  bool operator==(const Readings&) const = default;
};

/// One thread at a time. Grows with the states that were reached; whoever holds it bounds that.
class Matcher {
 public:
  explicit Matcher(std::shared_ptr<const Grammar> grammar);

  StateId start() const { return start_; }
  const Readings& readings(StateId state) const { return *states_[state]; }
  /// The state behind `bytes`; nullopt where the grammar forbids them.
  std::optional<StateId> advance(StateId state, std::string_view bytes);

  /// What can come once the automaton on top has ended. Sorted and merged.
  const Readings& behind(StackId stack);
  const Grammar& grammar() const { return *grammar_; }
  /// Bytes of stacks and states, roughly.
  std::size_t memory() const { return memory_; }

 private:
  /// A part that was begun: parts of a sequence that are done, or the times that a repeat still may and must.
  struct Frame {
    PartId part = 0;
    std::uint32_t min = 0, max = 0;
    auto operator<=>(const Frame&) const = default;
  };
  /// A set of stacks: their top frames, each with the set of stacks below it. `bottom`: the empty one too.
  struct Stack {
    std::vector<std::pair<Frame, StackId>> tops;
    bool bottom = false;
    bool operator==(const Stack&) const = default;
  };
  struct ReadingsHash {
    std::size_t operator()(const Readings& readings) const;
  };

  StackId intern(Stack stack);
  StackId push(Frame frame, StackId below);
  StackId unite(StackId a, StackId b);
  Frame opened(PartId part) const;
  Readings expand(StackId stack);
  void merge(Readings& readings);
  StateId intern(Readings readings);

  std::shared_ptr<const Grammar> grammar_;
  std::vector<Stack> stacks_;
  std::unordered_multimap<std::uint64_t, StackId> stack_ids_;
  std::map<std::pair<StackId, StackId>, StackId> unions_;
  std::unordered_map<StackId, Readings> behind_;
  std::unordered_map<Readings, StateId, ReadingsHash> state_ids_;
  std::vector<const Readings*> states_;
  StateId start_ = 0;
  std::size_t memory_ = 0;
};

}  // namespace pitwall
