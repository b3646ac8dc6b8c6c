// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/kv_cache.h"

#include <bit>
#include <cassert>
#include <limits>
#include <random>

namespace pitwall {

namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

Error refuse(const std::string& setting, std::string what, std::string action) {
  return {.kind = Error::Kind::invalid_input,
          .what = std::move(what),
          .cause = {},
          .action = std::move(action),
          .param = setting};
}

}  // namespace

Result<void> KvCacheConfig::check() const {
  if (block_size < 1 || block_size > 1024 || !std::has_single_bit(static_cast<unsigned>(block_size))) {
    return refuse("block-size", "block-size is " + std::to_string(block_size) + " tokens",
                  "Use a power of two from 1 to 1024");
  }
  if (blocks < 1 || blocks > std::numeric_limits<std::int32_t>::max() / block_size) {
    return refuse("kv-cache-memory-bytes", "The KV cache would have " + std::to_string(blocks) + " blocks",
                  "Give it memory for at least one block and at most 2^31 tokens");
  }
  if (swap_blocks < 0) {
    return refuse("swap-space", "The swap space would have " + std::to_string(swap_blocks) + " blocks",
                  "Use 0 for no swap space");
  }
  return {};
}

KvCache::KvCache(const KvCacheConfig& config)
    : config_(config),
      pool_(config.blocks),
      index_(config.block_size, config.hash_seed ? *config.hash_seed : random_seed(), config.model_identity,
             config.hash),
      swap_(config.swap_blocks) {
  assert(config.check());
}

KvCacheCounts KvCache::counts() const {
  return {.total = pool_.total(),
          .used = pool_.used_count(),
          .cached = pool_.cached_count(),
          .quarantined = pool_.quarantined_count(),
          .free = pool_.free_count(),
          .swap_total = swap_.total(),
          .swap_used = swap_.used_count(),
          .evicted = evicted_,
          .copied = copied_,
          .merged = merged_};
}

Result<void> KvCache::reset_prefixes() {
  if (pool_.used_count() > 0) {
    return Error{.kind = Error::Kind::busy,
                 .what = "The prefix cache cannot be emptied: requests hold " +
                         std::to_string(pool_.used_count()) + " of " + std::to_string(pool_.total()) +
                         " KV blocks",
                 .cause = {},
                 .action = "Try again when no request runs",
                 .param = {}};
  }
  pool_.forget_cached();
  index_.clear();
  return {};
}

PrefixMatch KvCache::match(PrefixNode root, std::span<const TokenId> tokens,
                           std::span<const std::uint64_t> keys) const {
  PrefixMatch match;
  const auto size = static_cast<std::size_t>(config_.block_size);
  const std::size_t most = tokens.size() - 1;  // the last token is always computed: its logits are wanted
  PrefixNode node = root;
  // Blocks evicted in the open transaction are still indexed; they are no longer retained.
  for (std::size_t i = 0; (i + 1) * size <= most; ++i) {
    const auto found = index_.find(node, keys[i], tokens.subspan(i * size, size));
    if (!found || !pool_.retained(*found)) break;
    match.blocks.push_back(*found);
    node = found->value;
  }
  const std::size_t first = match.blocks.size() * size;
  const auto nearest = index_.nearest(node, tokens.subspan(first, std::min(size, most - first)));
  if (nearest.block && pool_.retained(*nearest.block)) {
    match.tail = *nearest.block;
    match.tail_tokens = nearest.common;
  }
  match.tokens = static_cast<std::int32_t>(first) + match.tail_tokens;
  if (static_cast<std::size_t>(match.tokens) == most) return match;
  match.miss_token = match.tokens;
  match.miss = miss_reason(tokens, keys, match, nearest.goes_on);
  return match;
}

MissReason KvCache::miss_reason(std::span<const TokenId> tokens, std::span<const std::uint64_t> keys,
                                const PrefixMatch& match, bool goes_on) const {
  const std::size_t block = match.blocks.size();
  if (keys.empty()) return MissReason::below_one_block;
  if (block < keys.size() && index_.was_evicted(keys[block])) return MissReason::evicted;
  if (match.tokens == 0 &&
      index_.first_block_anywhere(tokens.first(static_cast<std::size_t>(config_.block_size)))) {
    return MissReason::different_salt;
  }
  return goes_on && match.tokens > 0 ? MissReason::diverged : MissReason::cold;
}

void KvCache::keep() {
  for (const BlockId block : pool_.keep()) {
    ++evicted_;
    if (index_.contains(block)) index_.evict(block);
  }
}

bool KvCache::publish(PrefixNode root, BlockTable& table, std::size_t index, std::uint64_t key,
                      std::span<const TokenId> tokens, std::uint64_t fence) {
  const PrefixNode parent = index == 0 ? root : table[index - 1].value;
  const BlockId own = table[index];
  if (const auto found = index_.find(parent, key, tokens)) {
    pool_.reference(*found);
    table[index] = *found;
    pool_.free({&own, 1}, fence);
    ++merged_;
    return true;
  }
  index_.insert(parent, tokens, own);
  pool_.retain(own);
  return false;
}

void KvCache::publish_tail(PrefixNode parent, std::span<const TokenId> tokens, BlockId block) {
  if (index_.nearest(parent, tokens).common == static_cast<std::int32_t>(tokens.size())) return;
  index_.insert(parent, tokens, block);
  pool_.retain(block);
}

Result<void> KvCache::check() const {
  if (auto ok = pool_.check(); !ok) return ok;
  return check_index();
}

Result<void> KvCache::check(const std::unordered_map<BlockId, int>& owners) const {
  if (auto ok = pool_.check(owners); !ok) return ok;
  return check_index();
}

Result<void> KvCache::check_index() const {
  if (auto ok = index_.check(); !ok) return ok;
  if (auto ok = swap_.check(); !ok) return ok;
  const auto broken = [](BlockId block, const std::string& what) -> Error {
    return {.kind = Error::Kind::internal,
            .what = "block " + std::to_string(block.value) + ' ' + what,
            .cause = {},
            .action = {},
            .param = {}};
  };
  // Whatever is retained is in the index; a parent is in use, or comes later in the order of eviction, while
  // a child does.
  int retained = 0;
  std::unordered_map<std::int32_t, int> order;
  for (const BlockId block : pool_.cached()) order.emplace(block.value, static_cast<int>(order.size()));
  for (std::int32_t id = 0; id < pool_.handed_out(); ++id) {
    const BlockId block{id};
    if (pool_.retained(block) != index_.contains(block))
      return broken(block, "is retained but not indexed, or indexed but not retained");
    if (!pool_.retained(block)) continue;
    ++retained;
    const PrefixNode parent = index_.parent(block);
    if (parent < kNoNode) continue;
    if (!pool_.retained(BlockId{parent}))
      return broken(block, "is indexed behind a block that is not retained");
    if (pool_.references(block) > 0 && pool_.references(BlockId{parent}) == 0)
      return broken(block, "is used while the block before it is not");
    const auto own = order.find(id), before = order.find(parent);
    if (before != order.end() && (own == order.end() || own->second > before->second))
      return broken(block, "would be evicted after the block before it");
  }
  if (retained != index_.size()) return broken(BlockId{retained}, "counts more entries than retained blocks");
  return {};
}

std::string KvCache::dump() const {
  return pool_.dump() + index_.dump() + swap_.dump();
}

}  // namespace pitwall
