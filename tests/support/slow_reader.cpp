// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/slow_reader.h"

namespace pitwall::test {

using Kind = GrammarPart::Kind;

SlowReader::SlowReader(std::shared_ptr<const Grammar> grammar) : grammar_(std::move(grammar)) {
  Place first;
  first.open.push_back({.part = grammar_->root});
  settle(first, places_);
}

bool SlowReader::read(std::string_view bytes) {
  Places next = read(places_, bytes);
  if (next.empty()) return false;
  places_ = std::move(next);
  return true;
}

bool SlowReader::may_read(std::string_view bytes) const {
  return !read(places_, bytes).empty();
}

bool SlowReader::may_end() const {
  for (const Place& place : places_) {
    if (place.open.empty()) return true;
  }
  return false;
}

/// Opens what is next until it stands in front of or inside bytes, or all is written. Where bytes may end,
/// that is one more place.
void SlowReader::settle(Place place, Places& out) const {
  if (place.open.empty()) {
    out.insert(std::move(place));
    return;
  }
  const Open next = place.open.back();
  const GrammarPart& part = grammar_->parts[next.part];
  if (part.kind == Kind::bytes) {
    if (!next.begun) {
      place.open.back().begun = true;
      place.at = part.start;
      place.characters_min = part.min;
      place.characters_max = part.max;
    }
    if (!out.insert(place).second) return;
    if (grammar_->automaton.accepting(place.at)) {
      place.open.pop_back();
      place.at = place.characters_min = place.characters_max = 0;
      settle(std::move(place), out);
    }
    return;
  }
  place.open.pop_back();
  switch (part.kind) {
    case Kind::sequence:
      for (auto inner = part.parts.rbegin(); inner != part.parts.rend(); ++inner)
        place.open.push_back({.part = *inner});
      settle(std::move(place), out);
      break;
    case Kind::choice:
      for (const PartId branch : part.parts) {
        Place one = place;
        one.open.push_back({.part = branch});
        settle(std::move(one), out);
      }
      break;
    case Kind::repeat: {
      const std::uint32_t min = next.begun ? next.min : part.min, max = next.begun ? next.max : part.max;
      if (min == 0) settle(place, out);
      if (max == 0) break;
      place.open.push_back({.part = next.part,
                            .min = min == 0 ? 0 : min - 1,
                            .max = max == kUnlimited ? max : max - 1,
                            .begun = true});
      place.open.push_back({.part = part.parts[0]});
      settle(std::move(place), out);
      break;
    }
    case Kind::bytes:
      break;
  }
}

SlowReader::Places SlowReader::read(const Places& from, std::string_view bytes) const {
  const Places* before = &from;
  Places now;
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    Places next;
    for (Place place : *before) {
      if (place.open.empty()) continue;
      // Characters of a JSON string are counted where they begin; its end asks for enough of them.
      if (place.at == kStringBody) {
        if (byte == '"') {
          if (place.characters_min > 0) continue;
        } else {
          if (place.characters_max == 0) continue;
          if (place.characters_max != kUnlimited) --place.characters_max;
          if (place.characters_min > 0) --place.characters_min;
        }
      }
      place.at = grammar_->automaton.step(place.at, byte);
      if (place.at == kDeadState) continue;
      settle(std::move(place), next);
    }
    now = std::move(next);
    before = &now;
    if (now.empty()) break;
  }
  return now;
}

}  // namespace pitwall::test
