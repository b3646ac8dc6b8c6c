// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/bpe_merges.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace pitwall {

namespace {

constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
constexpr std::uint32_t kNoRank = ~std::uint32_t{0};
/// Up to here looking through all pairs is faster than a queue.
constexpr std::size_t kFew = 24;

std::uint64_t pair_key(TokenId left, TokenId right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

std::size_t slot_of(std::uint64_t pair, unsigned shift) {
  return static_cast<std::size_t>(pair * 0x9E3779B97F4A7C15u >> shift);
}

}  // namespace

BpeMerges::BpeMerges(const std::vector<BpeMerge>& merges) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(merges.size() * 2, 2));
  shift_ = static_cast<unsigned>(64 - std::countr_zero(slots));
  table_.assign(slots, Entry{kEmpty, kNoRank, -1});
  for (const BpeMerge& merge : merges) {
    const std::uint64_t pair = pair_key(merge.left, merge.right);
    std::size_t slot = slot_of(pair, shift_);
    while (table_[slot].pair != kEmpty && table_[slot].pair != pair) slot = (slot + 1) & (slots - 1);
    table_[slot] = {pair, merge.rank, merge.merged};
  }
}

/// The entry of a pair, or an empty one, whose rank is kNoRank.
const BpeMerges::Entry& BpeMerges::find(TokenId left, TokenId right) const {
  const std::uint64_t pair = pair_key(left, right);
  std::size_t slot = slot_of(pair, shift_);
  while (table_[slot].pair != pair && table_[slot].pair != kEmpty) slot = (slot + 1) & (table_.size() - 1);
  return table_[slot];
}

/// Looks up the pair that begins at symbol `left`; false when it does not merge.
bool BpeMerges::rate_pair(Workspace& workspace, std::int32_t left) const {
  Workspace::Symbol& symbol = workspace.symbols[static_cast<std::size_t>(left)];
  if (symbol.next < 0) {
    symbol.rank = kNoRank;
    return false;
  }
  const Entry& entry = find(symbol.token, workspace.symbols[static_cast<std::size_t>(symbol.next)].token);
  symbol.rank = entry.rank;
  symbol.merged = entry.merged;
  return entry.rank != kNoRank;
}

void BpeMerges::join_with_next(Workspace& workspace, std::int32_t left) {
  auto& symbols = workspace.symbols;
  Workspace::Symbol& symbol = symbols[static_cast<std::size_t>(left)];
  Workspace::Symbol& right = symbols[static_cast<std::size_t>(symbol.next)];
  symbol.token = symbol.merged;
  symbol.next = right.next;
  right.rank = kNoRank;
  if (symbol.next >= 0) symbols[static_cast<std::size_t>(symbol.next)].previous = left;
}

void BpeMerges::merge_few(Workspace& workspace) const {
  auto& symbols = workspace.symbols;
  for (;;) {
    const auto best = std::min_element(symbols.begin(), symbols.end(),
                                       [](const auto& a, const auto& b) { return a.rank < b.rank; });
    if (best->rank == kNoRank) return;
    const auto at = static_cast<std::int32_t>(best - symbols.begin());
    join_with_next(workspace, at);
    rate_pair(workspace, at);
    if (best->previous >= 0) rate_pair(workspace, best->previous);
  }
}

void BpeMerges::merge_many(Workspace& workspace) const {
  auto& symbols = workspace.symbols;
  auto& queue = workspace.queue;
  const auto entry_of = [&](std::int32_t at) {
    return static_cast<std::uint64_t>(symbols[static_cast<std::size_t>(at)].rank) << 32 |
           static_cast<std::uint32_t>(at);
  };
  queue.clear();
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].rank != kNoRank) queue.push_back(entry_of(static_cast<std::int32_t>(i)));
  }
  std::make_heap(queue.begin(), queue.end(), std::greater<>());
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    const std::uint64_t entry = queue.back();
    queue.pop_back();
    const auto at = static_cast<std::int32_t>(entry & 0xFFFFFFFFu);
    // An entry holds while its rank is still the rank of the pair at its place.
    if (symbols[static_cast<std::size_t>(at)].rank != entry >> 32) continue;
    join_with_next(workspace, at);
    for (const std::int32_t changed : {at, symbols[static_cast<std::size_t>(at)].previous}) {
      if (changed < 0 || !rate_pair(workspace, changed)) continue;
      queue.push_back(entry_of(changed));
      std::push_heap(queue.begin(), queue.end(), std::greater<>());
    }
  }
}

void BpeMerges::merge(Workspace& workspace, std::vector<TokenId>& out) const {
  auto& symbols = workspace.symbols;
  if (symbols.empty()) return;
  symbols.back().next = -1;
  for (std::size_t i = 0; i < symbols.size(); ++i) rate_pair(workspace, static_cast<std::int32_t>(i));
  symbols.size() <= kFew ? merge_few(workspace) : merge_many(workspace);
  for (std::int32_t i = 0; i >= 0; i = symbols[static_cast<std::size_t>(i)].next) {
    out.push_back(symbols[static_cast<std::size_t>(i)].token);
  }
  symbols.clear();
}

}  // namespace pitwall
