// SPDX-License-Identifier: GPL-3.0-or-later
// Deterministic automata over bytes, all of a grammar's in one pool: the parts of it that do not nest.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pitwall {

using ByteState = std::uint32_t;
inline constexpr ByteState kDeadState = 0xFFFF'FFFF;

/// Bytes low … high lead to `to`.
struct ByteEdge {
  std::uint8_t low = 0, high = 0;
  ByteState to = 0;
  bool operator==(const ByteEdge&) const = default;
};

/// States are numbered from 0 as they are added. Whoever adds them sees to it that an accepting state can be
/// reached from each. Edges of a state are sorted and do not overlap.
class ByteAutomaton {
 public:
  /// Equal states that were added this way are one, so that common endings are shared.
  ByteState add(const std::vector<ByteEdge>& edges, bool accepting);
  /// For loops: a state whose edges come later, once, by `define`.
  ByteState reserve();
  void define(ByteState state, const std::vector<ByteEdge>& edges, bool accepting);

  /// The states that spell `text` and then are in `end`; the first of them.
  ByteState add_text(std::string_view text, ByteState end);

  ByteState step(ByteState state, std::uint8_t byte) const {
    for (const ByteEdge& edge : edges(state)) {
      if (byte <= edge.high) return byte >= edge.low ? edge.to : kDeadState;
    }
    return kDeadState;
  }
  bool accepting(ByteState state) const { return states_[state].accepting; }
  std::span<const ByteEdge> edges(ByteState state) const {
    return {edges_.data() + states_[state].first, states_[state].count};
  }
  std::size_t size() const { return states_.size(); }
  /// Whether the bytes lead from `state` to an accepting one.
  bool accepts(ByteState state, std::string_view bytes) const;

 private:
  struct State {
    std::uint32_t first = 0;
    std::uint16_t count = 0;
    bool accepting = false;
  };
  std::vector<State> states_;
  std::vector<ByteEdge> edges_;
  std::unordered_multimap<std::uint64_t, ByteState> added_;  ///< by hash of edges and acceptance
};

}  // namespace pitwall
