// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/character_automaton.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/grammar/json_strings.h"
#include "engine/text/utf8.h"

namespace pitwall {

namespace {

using Automaton = CharacterAutomaton;
using Edge = CharacterAutomaton::Edge;

constexpr std::uint32_t kNowhere = 0xFFFF'FFFF;

Error too_many_states() {
  return {.kind = Error::Kind::out_of_memory,
          .what = "A pattern needs more than " + std::to_string(kMostCharacterStates) + " states",
          .cause = "Repeats inside repeats, or a long {n,m} behind a choice",
          .action = "Use smaller counts in the pattern or the length",
          .param = {}};
}

/// Joins neighbours that lead to one place.
void push_edge(std::vector<Edge>& edges, Edge edge) {
  if (!edges.empty() && edges.back().to == edge.to && edges.back().high + 1 == edge.low) {
    edges.back().high = edge.high;
  } else {
    edges.push_back(edge);
  }
}

std::uint32_t step(const Automaton& automaton, std::uint32_t state, char32_t character) {
  for (const Edge& edge : automaton.states[state].edges) {
    if (character <= edge.high) return character >= edge.low ? edge.to : kNowhere;
  }
  return kNowhere;
}

/// Pairs of states that are reached together, numbered as they are met.
class Pairs {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::uint32_t id_of(Pair pair) {
    const auto [known, is_new] = ids_.try_emplace(pair, static_cast<std::uint32_t>(pairs_.size()));
    if (is_new) pairs_.push_back(pair);
    return known->second;
  }
  std::size_t size() const { return pairs_.size(); }
  Pair operator[](std::size_t id) const { return pairs_[id]; }

 private:
  std::map<Pair, std::uint32_t> ids_;
  std::vector<Pair> pairs_;
};

/// Both run side by side. `b_wanted`: b must accept too; else b must not, and may have left its automaton.
Result<Automaton> product(const Automaton& a, const Automaton& b, bool b_wanted) {
  if (a.states.empty() || (b_wanted && b.states.empty())) return Automaton{};
  Pairs pairs;
  pairs.id_of({0, b.states.empty() ? kNowhere : 0});
  Automaton out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i >= kMostCharacterStates) return too_many_states();
    const auto [in_a, in_b] = pairs[i];
    const bool b_accepts = in_b != kNowhere && b.states[in_b].accepting;
    Automaton::State state{.edges = {}, .accepting = a.states[in_a].accepting && b_accepts == b_wanted};
    const auto put = [&](char32_t low, char32_t high, std::uint32_t to_a, std::uint32_t to_b) {
      if (to_b != kNowhere || !b_wanted) push_edge(state.edges, {low, high, pairs.id_of({to_a, to_b})});
    };
    for (const Edge& edge : a.states[in_a].edges) {
      char32_t low = edge.low;
      if (in_b != kNowhere) {
        for (const Edge& other : b.states[in_b].edges) {
          if (other.high < low || other.low > edge.high) continue;
          if (other.low > low) put(low, other.low - 1, edge.to, kNowhere);
          const char32_t high = std::min(edge.high, other.high);
          put(std::max(low, other.low), high, edge.to, other.to);
          low = high + 1;
        }
      }
      if (low <= edge.high) put(low, edge.high, edge.to, kNowhere);
    }
    out.states.push_back(std::move(state));
  }
  return without_dead_ends(out);
}

struct ByteRange {
  std::uint8_t low, high;
};
/// One way to spell some characters that all lead to one state.
struct Path {
  std::vector<ByteRange> bytes;
  ByteState to;
};

/// A range of characters as ranges of byte sequences of one length each: cut where the length changes, then
/// where a range does not fill all values of the bytes behind the first that differs.
void add_utf8(char32_t low, char32_t high, ByteState to, std::vector<Path>& out) {
  constexpr char32_t kEnds[] = {0x7F, 0x7FF, 0xFFFF};
  for (const char32_t end : kEnds) {
    if (low <= end && high > end) {
      add_utf8(low, end, to, out);
      add_utf8(end + 1, high, to, out);
      return;
    }
  }
  std::string first, last;
  append_utf8(first, low);
  append_utf8(last, high);
  for (std::size_t behind = 1; behind < first.size(); ++behind) {
    const char32_t mask = (char32_t{1} << (6 * behind)) - 1;
    if ((low & ~mask) == (high & ~mask)) continue;
    const char32_t cut = (low & mask) != 0 ? (low | mask) : (high & mask) != mask ? (high & ~mask) - 1 : high;
    if (cut == high) continue;
    add_utf8(low, cut, to, out);
    add_utf8(cut + 1, high, to, out);
    return;
  }
  Path path{.bytes = {}, .to = to};
  for (std::size_t i = 0; i < first.size(); ++i)
    path.bytes.push_back({static_cast<std::uint8_t>(first[i]), static_cast<std::uint8_t>(last[i])});
  out.push_back(std::move(path));
}

std::string json_escape(char32_t character) {
  switch (character) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      constexpr std::string_view kHex = "0123456789abcdef";
      return std::string("\\u00") + kHex[character >> 4] + kHex[character & 0xF];
  }
}

bool is_escaped(char32_t character) {
  return character < 0x20 || character == '"' || character == '\\';
}

void add_json(char32_t low, char32_t high, ByteState to, std::vector<Path>& out) {
  constexpr char32_t kLastEscaped = '\\';
  for (; low <= high && low <= kLastEscaped; ++low) {
    if (!is_escaped(low)) {
      add_utf8(low, low, to, out);
      continue;
    }
    Path path{.bytes = {}, .to = to};
    for (const char c : json_escape(low)) {
      const auto byte = static_cast<std::uint8_t>(c);
      path.bytes.push_back({byte, byte});
    }
    out.push_back(std::move(path));
  }
  if (low <= high) add_utf8(low, high, to, out);
}

/// Edges that tell the paths apart byte by byte, from byte `depth` of each.
std::vector<ByteEdge> edges_of(const std::vector<Path>& paths, std::size_t depth, ByteAutomaton& out) {
  std::vector<unsigned> cuts;
  for (const Path& path : paths) {
    cuts.push_back(path.bytes[depth].low);
    cuts.push_back(path.bytes[depth].high + 1u);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<ByteEdge> edges;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    std::vector<Path> rest;
    std::optional<ByteState> to;
    for (const Path& path : paths) {
      if (path.bytes[depth].low > cuts[i] || path.bytes[depth].high < cuts[i]) continue;
      if (path.bytes.size() == depth + 1) {
        to = path.to;
      } else {
        rest.push_back(path);
      }
    }
    if (!rest.empty()) to = out.add(edges_of(rest, depth + 1, out), false);
    if (!to) continue;
    const auto low = static_cast<std::uint8_t>(cuts[i]), high = static_cast<std::uint8_t>(cuts[i + 1] - 1);
    if (!edges.empty() && edges.back().to == *to && edges.back().high + 1 == low) {
      edges.back().high = high;
    } else {
      edges.push_back({low, high, *to});
    }
  }
  return edges;
}

}  // namespace

bool CharacterAutomaton::accepts(std::string_view utf8) const {
  if (states.empty()) return false;
  std::uint32_t state = 0;
  while (!utf8.empty()) {
    const Utf8Step character = utf8_step(utf8);
    if (character.status != Utf8Step::Status::complete) return false;
    state = step(*this, state, character.code);
    if (state == kNowhere) return false;
    utf8.remove_prefix(character.length);
  }
  return states[state].accepting;
}

CharacterAutomaton any_text() {
  return {.states = {{.edges = {{0, 0xD7FF, 0}, {0xE000, kLastCharacter, 0}}, .accepting = true}}};
}

CharacterAutomaton text_among(const std::vector<std::string>& texts) {
  Automaton out;
  if (texts.empty()) return out;
  std::vector<std::map<char32_t, std::uint32_t>> children(1);
  std::vector<bool> ends(1);
  for (std::string_view text : texts) {
    std::uint32_t at = 0;
    for (; !text.empty(); text.remove_prefix(utf8_step(text).length)) {
      const auto [child, is_new] =
          children[at].try_emplace(utf8_step(text).code, static_cast<std::uint32_t>(children.size()));
      at = child->second;
      if (is_new) {
        children.emplace_back();
        ends.push_back(false);
      }
    }
    ends[at] = true;
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    Automaton::State state{.edges = {}, .accepting = ends[i]};
    for (const auto& [character, to] : children[i]) state.edges.push_back({character, character, to});
    out.states.push_back(std::move(state));
  }
  return out;
}

Result<CharacterAutomaton> texts_of_both(const CharacterAutomaton& a, const CharacterAutomaton& b) {
  return product(a, b, true);
}

Result<CharacterAutomaton> texts_of_first_alone(const CharacterAutomaton& a, const CharacterAutomaton& b) {
  return product(a, b, false);
}

Result<CharacterAutomaton> texts_of_length(const CharacterAutomaton& texts, std::uint32_t min,
                                           std::uint32_t max) {
  if (texts.states.empty() || min > max) return Automaton{};
  Pairs pairs;
  pairs.id_of({0, 0});
  Automaton out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i >= kMostCharacterStates) return too_many_states();
    const auto [at, count] = pairs[i];
    Automaton::State state{.edges = {}, .accepting = texts.states[at].accepting && count >= min};
    if (count < max) {
      const std::uint32_t next = max == kUnlimited ? std::min(count + 1, min) : count + 1;
      for (const Edge& edge : texts.states[at].edges)
        push_edge(state.edges, {edge.low, edge.high, pairs.id_of({edge.to, next})});
    }
    out.states.push_back(std::move(state));
  }
  return without_dead_ends(out);
}

CharacterAutomaton without_dead_ends(const CharacterAutomaton& texts) {
  std::vector<std::vector<std::uint32_t>> sources(texts.states.size());
  std::vector<std::uint32_t> reached;
  std::vector<bool> lives(texts.states.size());
  for (std::uint32_t i = 0; i < texts.states.size(); ++i) {
    for (const Edge& edge : texts.states[i].edges) sources[edge.to].push_back(i);
    if (texts.states[i].accepting) {
      lives[i] = true;
      reached.push_back(i);
    }
  }
  while (!reached.empty()) {
    const std::uint32_t at = reached.back();
    reached.pop_back();
    for (const std::uint32_t source : sources[at]) {
      if (lives[source]) continue;
      lives[source] = true;
      reached.push_back(source);
    }
  }
  Automaton out;
  if (texts.states.empty() || !lives[0]) return out;
  std::vector<std::uint32_t> number(texts.states.size(), kNowhere);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < texts.states.size(); ++i) {
    if (lives[i]) number[i] = count++;
  }
  for (std::uint32_t i = 0; i < texts.states.size(); ++i) {
    if (!lives[i]) continue;
    Automaton::State state{.edges = {}, .accepting = texts.states[i].accepting};
    for (const Edge& edge : texts.states[i].edges) {
      if (lives[edge.to]) push_edge(state.edges, {edge.low, edge.high, number[edge.to]});
    }
    out.states.push_back(std::move(state));
  }
  return out;
}

ByteState spell(const CharacterAutomaton& texts, Spelling spelling, ByteState end, ByteAutomaton& out) {
  const bool quoted = spelling == Spelling::json_string;
  const auto first = static_cast<ByteState>(out.size());
  for (std::size_t i = 0; i < texts.states.size(); ++i) out.reserve();
  for (std::uint32_t i = 0; i < texts.states.size(); ++i) {
    std::vector<Path> paths;
    if (quoted && texts.states[i].accepting) paths.push_back({.bytes = {{'"', '"'}}, .to = end});
    for (const Edge& edge : texts.states[i].edges) {
      if (quoted) {
        add_json(edge.low, edge.high, first + edge.to, paths);
      } else {
        add_utf8(edge.low, edge.high, first + edge.to, paths);
      }
    }
    out.define(first + i, edges_of(paths, 0, out), !quoted && texts.states[i].accepting);
  }
  return quoted ? out.add({{'"', '"', first}}, false) : first;
}

}  // namespace pitwall
