// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/grammar.h"

#include <algorithm>

namespace pitwall {

namespace {

using Kind = GrammarPart::Kind;

/// The states that read one of the sorted texts [begin, end), which agree in their first `depth` bytes.
ByteState add_sorted(const std::vector<std::string>& texts, std::size_t begin, std::size_t end,
                     std::size_t depth, ByteAutomaton& out) {
  const std::string& first = texts[begin];
  const std::string& last = texts[end - 1];
  std::size_t common = depth;
  while (common < first.size() && common < last.size() && first[common] == last[common]) ++common;
  const bool ends_here = first.size() == common;
  std::vector<ByteEdge> edges;
  for (std::size_t i = begin + (ends_here ? 1 : 0); i < end;) {
    std::size_t next = i;
    while (next < end && texts[next][common] == texts[i][common]) ++next;
    const auto byte = static_cast<std::uint8_t>(texts[i][common]);
    edges.push_back({byte, byte, add_sorted(texts, i, next, common + 1, out)});
    i = next;
  }
  const ByteState branch = out.add(edges, ends_here);
  return out.add_text(std::string_view(first).substr(depth, common - depth), branch);
}

/// Marks, from the leaves up, the parts that hold by what `bytes` says of automata, until nothing changes.
/// Parts mostly stand behind the parts that hold them or in front: both ways in turn end soon.
template <class Bytes>
std::vector<bool> parts_where(const std::vector<GrammarPart>& parts, Bytes bytes) {
  std::vector<bool> marked(parts.size());
  const auto is_marked = [&](PartId inner) { return marked[inner]; };
  const auto holds = [&](const GrammarPart& part) {
    switch (part.kind) {
      case Kind::bytes:
        return static_cast<bool>(bytes(part.start));
      case Kind::sequence:
        return std::ranges::all_of(part.parts, is_marked);
      case Kind::choice:
        return std::ranges::any_of(part.parts, is_marked);
      case Kind::repeat:
        return part.min == 0 || is_marked(part.parts[0]);
    }
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    const auto visit = [&](std::size_t i) {
      if (marked[i] || !holds(parts[i])) return;
      marked[i] = true;
      changed = true;
    };
    for (std::size_t i = parts.size(); i > 0; --i) visit(i - 1);
    for (std::size_t i = 0; i < parts.size(); ++i) visit(i);
  }
  return marked;
}

Error refused(Error::Kind kind, std::string what, std::string cause) {
  return {.kind = kind, .what = std::move(what), .cause = std::move(cause), .action = {}, .param = {}};
}

}  // namespace

GrammarBuilder::GrammarBuilder() {
  add_json_string(grammar_.automaton);
  empty_ = add({.kind = Kind::sequence});
  nothing_ = add({.kind = Kind::choice});
}

PartId GrammarBuilder::add(GrammarPart part) {
  grammar_.parts.push_back(std::move(part));
  return static_cast<PartId>(grammar_.parts.size() - 1);
}

PartId GrammarBuilder::text(std::string_view bytes) {
  if (bytes.empty()) return empty_;
  return this->bytes(automaton().add_text(bytes, kEndState));
}

PartId GrammarBuilder::one_of(std::vector<std::string> texts) {
  if (texts.empty()) return nothing_;
  std::sort(texts.begin(), texts.end(), [](const std::string& a, const std::string& b) {
    return std::ranges::lexicographical_compare(
        a, b, [](char x, char y) { return static_cast<std::uint8_t>(x) < static_cast<std::uint8_t>(y); });
  });
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return bytes(add_sorted(texts, 0, texts.size(), 0, automaton()));
}

PartId GrammarBuilder::bytes(ByteState start) {
  return add({.kind = Kind::bytes, .start = start});
}

PartId GrammarBuilder::json_string(std::uint32_t min_characters, std::uint32_t max_characters) {
  if (min_characters > max_characters) return nothing_;
  return add({.kind = Kind::bytes, .start = kStringOpen, .min = min_characters, .max = max_characters});
}

PartId GrammarBuilder::sequence(std::vector<PartId> parts) {
  if (parts.size() == 1) return parts[0];
  return add({.kind = Kind::sequence, .parts = std::move(parts)});
}

PartId GrammarBuilder::choice(std::vector<PartId> parts) {
  if (parts.size() == 1) return parts[0];
  return add({.kind = Kind::choice, .parts = std::move(parts)});
}

PartId GrammarBuilder::repeat(PartId part, std::uint32_t min, std::uint32_t max) {
  if (min > max) return nothing_;
  return add({.kind = Kind::repeat, .min = min, .max = max, .parts = {part}});
}

PartId GrammarBuilder::reserve() {
  return add({.kind = Kind::choice});
}

void GrammarBuilder::define(PartId reserved, PartId as) {
  grammar_.parts[reserved].parts = {as};
}

Result<void> GrammarBuilder::check_size() const {
  if (grammar_.parts.size() <= kMostGrammarParts && grammar_.automaton.size() <= kMostByteStates) return {};
  return refused(Error::Kind::out_of_memory,
                 "The grammar has " + std::to_string(grammar_.parts.size()) + " parts and " +
                     std::to_string(grammar_.automaton.size()) + " states, above " +
                     std::to_string(kMostGrammarParts) + " or " + std::to_string(kMostByteStates),
                 "Schemas that are combined with each other multiply");
}

Result<Grammar> GrammarBuilder::finish(PartId root) && {
  if (auto fits = check_size(); !fits.ok()) return std::move(fits).error();
  std::vector<GrammarPart>& parts = grammar_.parts;
  const std::vector<bool> ends = parts_where(parts, [](ByteState) { return true; });
  if (!ends[root]) {
    return refused(Error::Kind::invalid_input, "No finite text obeys the grammar",
                   "A required part contradicts itself or holds itself without an end");
  }
  for (GrammarPart& part : parts) {
    if (part.kind == Kind::choice) std::erase_if(part.parts, [&](PartId inner) { return !ends[inner]; });
    if (part.kind == Kind::repeat && (part.max == 0 || !ends[part.parts[0]])) part = {.kind = Kind::sequence};
  }
  const std::vector<bool> may_be_empty =
      parts_where(parts, [this](ByteState start) { return grammar_.automaton.accepting(start); });
  for (const GrammarPart& part : parts) {
    if (part.kind == Kind::repeat && may_be_empty[part.parts[0]]) {
      return refused(Error::Kind::invalid_input, "A repeated part may be empty",
                     "Its repeats could go on without writing anything");
    }
  }
  grammar_.root = root;
  return std::move(grammar_);
}

}  // namespace pitwall
