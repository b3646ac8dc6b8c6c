// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/byte_automaton.h"

#include <algorithm>

#include "engine/grammar/hash.h"

namespace pitwall {

ByteState ByteAutomaton::add(const std::vector<ByteEdge>& edges, bool accepting) {
  std::uint64_t hash = accepting ? 1 : 0;
  for (const ByteEdge& edge : edges) {
    hash = mix_hash(hash, static_cast<std::uint64_t>(edge.to) << 16 |
                              static_cast<std::uint64_t>(edge.low) << 8 | edge.high);
  }
  const auto [begin, end] = added_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (states_[known->second].accepting == accepting &&
        std::ranges::equal(this->edges(known->second), edges))
      return known->second;
  }
  const ByteState state = reserve();
  define(state, edges, accepting);
  added_.emplace(hash, state);
  return state;
}

ByteState ByteAutomaton::reserve() {
  states_.emplace_back();
  return static_cast<ByteState>(states_.size() - 1);
}

void ByteAutomaton::define(ByteState state, const std::vector<ByteEdge>& edges, bool accepting) {
  states_[state] = {.first = static_cast<std::uint32_t>(edges_.size()),
                    .count = static_cast<std::uint16_t>(edges.size()),
                    .accepting = accepting};
  edges_.insert(edges_.end(), edges.begin(), edges.end());
}

ByteState ByteAutomaton::add_text(std::string_view text, ByteState end) {
  for (auto c = text.rbegin(); c != text.rend(); ++c) {
    const auto byte = static_cast<std::uint8_t>(*c);
    end = add({{byte, byte, end}}, false);
  }
  return end;
}

bool ByteAutomaton::accepts(ByteState state, std::string_view bytes) const {
  for (const char c : bytes) {
    state = step(state, static_cast<std::uint8_t>(c));
    if (state == kDeadState) return false;
  }
  return accepting(state);
}

}  // namespace pitwall
