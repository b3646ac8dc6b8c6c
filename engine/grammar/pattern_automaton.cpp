// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/pattern_automaton.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/base/text_escape.h"
#include "engine/grammar/json_strings.h"
#include "engine/grammar/pattern_syntax.h"

namespace pitwall {

namespace {

constexpr std::size_t kMostPlaces = 50'000;
constexpr std::size_t kMostWork = 4'000'000;  ///< places and ranges looked at while subsets are made

using Place = std::uint32_t;

/// Places with moves that read a character, and free moves.
struct Net {
  enum class Free : std::uint8_t { always, at_begin, to_end };
  struct FreeMove {
    Place to;
    Free when;
  };
  struct PlaceMoves {
    std::vector<FreeMove> free;
    const std::vector<CharacterRange>* reads = nullptr;  ///< of the tree
    Place then = 0;
  };
  std::vector<PlaceMoves> places;
};

/// Writes the places of one tree node after the other; an empty optional once there are too many.
class NetBuilder {
 public:
  explicit NetBuilder(const PatternTree& tree) : tree_(tree) {}

  Place place() {
    net_.places.emplace_back();
    return static_cast<Place>(net_.places.size() - 1);
  }
  void link(Place from, Place to, Net::Free when = Net::Free::always) {
    net_.places[from].free.push_back({to, when});
  }
  void read(Place from, const std::vector<CharacterRange>& ranges, Place to) {
    net_.places[from].reads = &ranges;
    net_.places[from].then = to;
  }

  /// From `from` through the node; the place behind it.
  std::optional<Place> add(std::size_t node, Place from) {
    if (net_.places.size() > kMostPlaces) return std::nullopt;
    const PatternNode& part = tree_.nodes[node];
    switch (part.kind) {
      case PatternNode::Kind::characters: {
        const Place in = place(), out = place();
        link(from, in);
        read(in, part.ranges, out);
        return out;
      }
      case PatternNode::Kind::sequence: {
        std::optional<Place> at = from;
        for (const std::size_t inner : part.parts) {
          at = add(inner, *at);
          if (!at) return std::nullopt;
        }
        return at;
      }
      case PatternNode::Kind::choice: {
        const Place out = place();
        for (const std::size_t inner : part.parts) {
          const Place in = place();
          link(from, in);
          const auto end = add(inner, in);
          if (!end) return std::nullopt;
          link(*end, out);
        }
        return out;
      }
      case PatternNode::Kind::repeat:
        return add_repeat(part, from);
      case PatternNode::Kind::begin:
      case PatternNode::Kind::end: {
        const Place out = place();
        link(from, out, part.kind == PatternNode::Kind::begin ? Net::Free::at_begin : Net::Free::to_end);
        return out;
      }
    }
    return std::nullopt;
  }

  Net take() { return std::move(net_); }

 private:
  std::optional<Place> add_repeat(const PatternNode& part, Place from) {
    std::optional<Place> at = from;
    for (std::uint32_t i = 0; i < part.min; ++i) {
      if (net_.places.size() > kMostPlaces || i > kMostPlaces) return std::nullopt;
      at = add(part.parts[0], *at);
      if (!at) return std::nullopt;
    }
    const Place out = place();
    if (part.max == kUnlimited) {
      const Place loop = place();
      link(*at, loop);
      link(loop, out);
      const auto end = add(part.parts[0], loop);
      if (!end) return std::nullopt;
      link(*end, loop);
      return out;
    }
    link(*at, out);
    for (std::uint32_t i = part.min; i < part.max; ++i) {
      if (net_.places.size() > kMostPlaces || i - part.min > kMostPlaces) return std::nullopt;
      at = add(part.parts[0], *at);
      if (!at) return std::nullopt;
      link(*at, out);
    }
    return out;
  }

  const PatternTree& tree_;
  Net net_;
};

/// A place, and whether a $ has been passed: then nothing more may be read.
using Spot = std::uint32_t;
constexpr Spot spot(Place place, bool ended) {
  return place * 2 + (ended ? 1 : 0);
}

class Subsets {
 public:
  Subsets(const Net& net, Place accept) : net_(net), accept_(accept), seen_(net.places.size() * 2) {}

  std::optional<CharacterAutomaton> run(Place start) {
    id_of(closed({spot(start, false)}, true));
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const std::vector<Spot> set = *sets_[i];
      CharacterAutomaton::State state = moves_of(set);
      out_.states.push_back(std::move(state));
      if (work_ > kMostWork || sets_.size() > kMostCharacterStates) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  std::uint32_t id_of(std::vector<Spot> set) {
    const auto [known, is_new] = ids_.try_emplace(std::move(set), static_cast<std::uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(&known->first);
    return known->second;
  }

  std::vector<Spot> closed(std::vector<Spot> set, bool at_begin) {
    for (const Spot member : set) seen_[member] = true;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const Spot from = set[i];
      for (const Net::FreeMove& move : net_.places[from / 2].free) {
        if (move.when == Net::Free::at_begin && !at_begin) continue;
        const Spot to = spot(move.to, (from & 1) != 0 || move.when == Net::Free::to_end);
        if (seen_[to]) continue;
        seen_[to] = true;
        set.push_back(to);
      }
    }
    for (const Spot member : set) seen_[member] = false;
    work_ += set.size();
    // Spots that only pass on would make equal sets look different.
    std::erase_if(set, [&](Spot member) {
      return member / 2 != accept_ && ((member & 1) != 0 || net_.places[member / 2].reads == nullptr);
    });
    std::sort(set.begin(), set.end());
    return set;
  }

  CharacterAutomaton::State moves_of(const std::vector<Spot>& set) {
    CharacterAutomaton::State state;
    struct Cut {
      char32_t at;
      bool opens;
      Place to;
    };
    std::vector<Cut> cuts;
    for (const Spot member : set) {
      if (member / 2 == accept_) state.accepting = true;
      const Net::PlaceMoves& moves = net_.places[member / 2];
      if ((member & 1) != 0 || moves.reads == nullptr) continue;
      for (const auto& [low, high] : *moves.reads) {
        cuts.push_back({low, true, moves.then});
        cuts.push_back({high + 1, false, moves.then});
      }
    }
    work_ += cuts.size();
    std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.at < b.at; });
    std::map<Place, int> open;
    for (std::size_t i = 0; i < cuts.size();) {
      const char32_t low = cuts[i].at;
      for (; i < cuts.size() && cuts[i].at == low; ++i) {
        int& count = open[cuts[i].to];
        count += cuts[i].opens ? 1 : -1;
        if (count == 0) open.erase(cuts[i].to);
      }
      if (open.empty() || work_ > kMostWork) continue;
      std::vector<Spot> next;
      for (const auto& [place, count] : open) next.push_back(spot(place, false));
      const std::uint32_t to = id_of(closed(std::move(next), false));
      const char32_t high = cuts[i].at - 1;
      if (!state.edges.empty() && state.edges.back().to == to && state.edges.back().high + 1 == low) {
        state.edges.back().high = high;
      } else {
        state.edges.push_back({low, high, to});
      }
    }
    return state;
  }

  const Net& net_;
  Place accept_;
  std::vector<bool> seen_;
  std::map<std::vector<Spot>, std::uint32_t> ids_;
  std::vector<const std::vector<Spot>*> sets_;
  std::size_t work_ = 0;
  CharacterAutomaton out_;
};

Error too_large(std::string_view pattern) {
  return {.kind = Error::Kind::out_of_memory,
          .what = "The pattern " + quote_for_message(pattern) + " grows beyond " +
                  std::to_string(kMostCharacterStates) + " states",
          .cause = "Repeats inside repeats, or a choice in front of a long count",
          .action = "Use smaller counts, or fewer of them inside each other",
          .param = "pattern"};
}

}  // namespace

Result<CharacterAutomaton> pattern_automaton(std::string_view pattern, PatternUse use) {
  auto tree = parse_pattern(pattern);
  if (!tree.ok()) return std::move(tree).error();
  static const std::vector<CharacterRange> kAny = {{0, 0xD7FF}, {0xE000, kLastCharacter}};
  NetBuilder builder(*tree);
  const Place start = builder.place();
  if (use == PatternUse::search) {
    const Place loop = builder.place();
    builder.link(start, loop);
    builder.read(loop, kAny, start);
  }
  const auto end = builder.add(tree->root, start);
  if (!end) return too_large(pattern);
  const Place accept = builder.place();
  builder.link(*end, accept);
  if (use == PatternUse::search) builder.read(accept, kAny, accept);
  const Net net = builder.take();
  auto subsets = Subsets(net, accept).run(start);
  if (!subsets) return too_large(pattern);
  return without_dead_ends(*subsets);
}

}  // namespace pitwall
