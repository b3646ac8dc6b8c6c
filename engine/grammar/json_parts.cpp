// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/json_parts.h"

#include <algorithm>

#include "engine/grammar/json_numbers.h"

namespace pitwall {

namespace {

ByteState add_white_space(ByteAutomaton& out) {
  ByteState spaces = kEndState, tabs = kEndState;
  for (int i = 1; i < kMostIndentSpaces; ++i) spaces = out.add({{' ', ' ', spaces}}, true);
  for (int i = 1; i < kMostIndentTabs; ++i) tabs = out.add({{'\t', '\t', tabs}}, true);
  const ByteState line = out.add({{'\t', '\t', tabs}, {' ', ' ', spaces}}, true);
  return out.add({{'\n', '\n', line}, {' ', ' ', kEndState}}, true);
}

}  // namespace

JsonParts::JsonParts(GrammarBuilder& builder)
    : builder_(builder),
      space_(builder.bytes(add_white_space(builder.automaton()))),
      colon_(builder.bytes(
          builder.automaton().add_text(":", builder.automaton().add({{' ', ' ', kEndState}}, true)))),
      comma_(builder.sequence({builder.text(","), space_})),
      string_(builder.json_string(0, kUnlimited)),
      boolean_(builder.one_of({"true", "false"})),
      null_(builder.text("null")),
      open_object_(builder.text("{")),
      close_object_(builder.sequence({space_, builder.text("}")})),
      open_array_(builder.text("[")),
      close_array_(builder.sequence({space_, builder.text("]")})) {}

PartId JsonParts::object(const std::vector<Member>& members, const std::vector<Member>& extra) {
  std::vector<PartId> extra_pairs;
  for (const Member& member : extra) extra_pairs.push_back(pair(member));
  const PartId extra_pair = builder_.choice(std::move(extra_pairs));
  // From the last member to the first: what can follow in front of it, when some member has been written and
  // when none has.
  PartId then = builder_.repeat(builder_.sequence({comma_, extra_pair}), 0);
  PartId first = builder_.sequence({extra_pair, then});
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    const PartId written = builder_.sequence({pair(*member), then});
    const PartId written_next = builder_.sequence({comma_, written});
    first = member->required ? written : builder_.choice({written, first});
    then = member->required ? written_next : builder_.choice({written_next, then});
  }
  PartId inside = builder_.sequence({space_, first});
  if (std::ranges::none_of(members, &Member::required)) inside = builder_.optional(inside);
  return builder_.sequence({open_object_, inside, close_object_});
}

PartId JsonParts::array(const std::vector<PartId>& first, PartId rest, std::uint32_t min, std::uint32_t max) {
  if (min > max) return builder_.nothing();
  const auto count = static_cast<std::uint32_t>(first.size());
  const auto minus = [](std::uint32_t from, std::uint32_t less) {
    return from == kUnlimited ? kUnlimited : from > less ? from - less : 0;
  };
  // From the last to the first: what can follow once `i` elements stand.
  const std::uint32_t before_rest = std::max(count, 1u);
  const PartId next_rest = builder_.sequence({comma_, rest});
  PartId then = builder_.repeat(next_rest, minus(min, before_rest), minus(max, before_rest));
  for (std::uint32_t i = count; i > 1; --i) {
    std::vector<PartId> ways;
    if (i - 1 < max) ways.push_back(builder_.sequence({comma_, first[i - 1], then}));
    if (i - 1 >= min) ways.push_back(builder_.empty());
    then = builder_.choice(std::move(ways));
  }
  std::vector<PartId> ways;
  if (max > 0) ways.push_back(builder_.sequence({space_, count > 0 ? first[0] : rest, then}));
  if (min == 0) ways.push_back(builder_.empty());
  return builder_.sequence({open_array_, builder_.choice(std::move(ways)), close_array_});
}

PartId JsonParts::any_value() {
  if (any_value_ != 0) return any_value_;
  any_value_ = builder_.reserve();
  builder_.define(any_value_, builder_.choice({any_string(), any_number(), boolean(), null(), any_array(),
                                               any_object()}));
  return any_value_;
}

PartId JsonParts::any_object() {
  if (any_object_ != 0) return any_object_;
  any_object_ = builder_.reserve();
  builder_.define(any_object_, object({}, {{.name = string_, .value = any_value()}}));
  return any_object_;
}

PartId JsonParts::any_array() {
  if (any_array_ != 0) return any_array_;
  any_array_ = builder_.reserve();
  builder_.define(any_array_, array({}, any_value(), 0, kUnlimited));
  return any_array_;
}

PartId JsonParts::any_number() {
  if (any_number_ == 0) any_number_ = builder_.bytes(add_number({}, builder_.automaton()).value());
  return any_number_;
}

}  // namespace pitwall
