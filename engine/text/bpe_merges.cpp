// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/text/bpe_merges.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace pitwall {

namespace {

constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

std::uint64_t pair_key(TokenId left, TokenId right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

std::size_t slot_of(std::uint64_t pair, unsigned shift) {
  return static_cast<std::size_t>(pair * 0x9E3779B97F4A7C15u >> shift);
}

}  // namespace

BpeMerges::BpeMerges(const std::vector<BpeMerge>& merges, const std::array<TokenId, 256>& byte_tokens)
    : byte_tokens_(byte_tokens) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(merges.size() * 2, 2));
  shift_ = static_cast<unsigned>(64 - std::countr_zero(slots));
  table_.assign(slots, Entry{kEmpty, kNoRank, -1});
  std::uint32_t rank = 0;
  for (const BpeMerge& merge : merges) {
    const std::uint64_t pair = pair_key(merge.left, merge.right);
    std::size_t slot = slot_of(pair, shift_);
    while (table_[slot].pair != kEmpty && table_[slot].pair != pair) slot = (slot + 1) & (slots - 1);
    if (table_[slot].pair == kEmpty) table_[slot] = {pair, rank, merge.merged};
    ++rank;
  }
}

/// The entry of a pair, or an empty one, whose rank is kNoRank.
const BpeMerges::Entry& BpeMerges::find(TokenId left, TokenId right) const {
  const std::uint64_t pair = pair_key(left, right);
  std::size_t slot = slot_of(pair, shift_);
  while (table_[slot].pair != pair && table_[slot].pair != kEmpty) slot = (slot + 1) & (table_.size() - 1);
  return table_[slot];
}

/// Looks up the pair that begins at symbol `left` and queues it. An entry of the queue holds while its rank
/// is still the rank of the pair at its place.
void BpeMerges::rate_pair(Workspace& workspace, std::int32_t left) const {
  Workspace::Symbol& symbol = workspace.symbols[static_cast<std::size_t>(left)];
  if (symbol.next < 0) {
    symbol.rank = kNoRank;
    return;
  }
  const Entry& entry = find(symbol.token, workspace.symbols[static_cast<std::size_t>(symbol.next)].token);
  symbol.rank = entry.rank;
  symbol.merged = entry.merged;
  if (entry.rank == kNoRank) return;
  workspace.queue.push_back(static_cast<std::uint64_t>(entry.rank) << 32 | static_cast<std::uint32_t>(left));
}

void BpeMerges::encode(std::string_view piece, Workspace& workspace, std::vector<TokenId>& out) const {
  auto& symbols = workspace.symbols;
  auto& queue = workspace.queue;
  symbols.clear();
  queue.clear();
  for (const char c : piece) {
    const TokenId token = byte_tokens_[static_cast<std::uint8_t>(c)];
    if (token < 0) continue;
    const auto index = static_cast<std::int32_t>(symbols.size());
    symbols.push_back({token, kNoRank, -1, index + 1, index - 1});
  }
  if (symbols.empty()) return;
  symbols.back().next = -1;
  for (std::size_t i = 0; i < symbols.size(); ++i) rate_pair(workspace, static_cast<std::int32_t>(i));

  std::make_heap(queue.begin(), queue.end(), std::greater<>());
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    const std::uint64_t entry = queue.back();
    queue.pop_back();
    const auto at = static_cast<std::int32_t>(entry & 0xFFFFFFFFu);
    Workspace::Symbol& left = symbols[static_cast<std::size_t>(at)];
    if (left.rank != entry >> 32) continue;

    Workspace::Symbol& right = symbols[static_cast<std::size_t>(left.next)];
    left.token = left.merged;
    left.next = right.next;
    right.rank = kNoRank;
    if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].previous = at;
    for (const std::int32_t changed : {at, left.previous}) {
      if (changed < 0) continue;
      const std::size_t before = queue.size();
      rate_pair(workspace, changed);
      if (queue.size() > before) std::push_heap(queue.begin(), queue.end(), std::greater<>());
    }
  }
  for (std::int32_t i = 0; i >= 0; i = symbols[static_cast<std::size_t>(i)].next) {
    out.push_back(symbols[static_cast<std::size_t>(i)].token);
  }
}

}  // namespace pitwall
