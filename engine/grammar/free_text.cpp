// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/grammar/free_text.h"

#include <map>
#include <optional>

#include "engine/base/text_escape.h"
#include "engine/grammar/pattern_automaton.h"

namespace pitwall {

namespace {

/// How much of the trigger stands at the end of what has been read (Knuth, Morris and Pratt, 1977): a state
/// for each length but the whole, which is `found`, or no way at all.
ByteState add_search(ByteAutomaton& out, std::string_view trigger, std::optional<ByteState> found) {
  const auto byte_at = [&](std::size_t i) { return static_cast<std::uint8_t>(trigger[i]); };
  const auto first = static_cast<ByteState>(out.size());
  for (std::size_t i = 0; i < trigger.size(); ++i) out.reserve();
  // moves[i]: where bytes lead from length i, those that lead to 0 left out.
  std::vector<std::map<std::uint8_t, std::size_t>> moves(trigger.size());
  std::size_t fallback = 0;  // the longest beginning that ends what was read, without its first byte
  for (std::size_t i = 0; i < trigger.size(); ++i) {
    if (i > 0) moves[i] = moves[fallback];
    moves[i][byte_at(i)] = i + 1;
    if (i > 0) {
      const auto next = moves[fallback].find(byte_at(i));
      fallback = next == moves[fallback].end() ? 0 : next->second;
    }
  }
  for (std::size_t i = 0; i < trigger.size(); ++i) {
    std::vector<ByteEdge> edges;
    unsigned low = 0;
    const auto fill = [&](unsigned end) {
      if (low < end)
        edges.push_back({static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(end - 1), first});
    };
    for (const auto& [byte, length] : moves[i]) {
      fill(byte);
      low = byte + 1u;
      if (length < trigger.size()) {
        edges.push_back({byte, byte, first + static_cast<ByteState>(length)});
      } else if (found) {
        edges.push_back({byte, byte, *found});
      }
    }
    fill(256);
    out.define(first + static_cast<ByteState>(i), edges, !found);
  }
  return first;
}

}  // namespace

Result<PartId> add_pattern(GrammarBuilder& builder, std::string_view pattern) {
  auto texts = pattern_automaton(pattern, PatternUse::whole);
  if (!texts.ok()) return std::move(texts).error();
  if (texts->states.empty()) {
    return Error{.kind = Error::Kind::invalid_input,
                 .what = "No text matches the pattern " + quote_for_message(pattern),
                 .cause = {},
                 .action = {},
                 .param = "pattern"};
  }
  return builder.bytes(spell(*texts, Spelling::utf8, kEndState, builder.automaton()));
}

PartId text_up_to(GrammarBuilder& builder, std::string_view trigger) {
  return builder.bytes(add_search(builder.automaton(), trigger, kEndState));
}

PartId text_without(GrammarBuilder& builder, std::string_view trigger) {
  return builder.bytes(add_search(builder.automaton(), trigger, std::nullopt));
}

}  // namespace pitwall
