// SPDX-License-Identifier: GPL-3.0-or-later
// KvCache: the scheduler's one door to KV blocks: the pool, the prefix index over it and the swap space
// beside it. It holds no KV itself. README.md is the contract.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/cache/block_pool.h"
#include "engine/cache/cache_key.h"
#include "engine/cache/prefix_index.h"
#include "engine/cache/swap_space.h"
#include "engine/telemetry/records.h"

namespace pitwall {

struct KvCacheConfig {
  int blocks = 0;
  int block_size = 32;  ///< a power of two up to 1,024
  int swap_blocks = 0;  ///< host blocks; 0 = no swap space
  bool prefix_caching = true;
  std::string model_identity{};              ///< part of every block's key
  std::optional<std::uint64_t> hash_seed{};  ///< random unless pinned (simulation, tests)
  BlockHash hash = &chained_hash;            ///< tests put a bad one here

  /// Each number within its bounds; the error names the setting.
  Result<void> check() const;
};

/// What the prefix index has of a sequence.
struct PrefixMatch {
  BlockTable blocks;             ///< whole blocks from position 0, referenced by nobody yet
  BlockId tail{-1};              ///< a block whose first tail_tokens positions come next: to be copied
  std::int32_t tail_tokens = 0;  ///< 0 = none
  std::int32_t tokens = 0;       ///< blocks·block_size + tail_tokens, at most all tokens − 1
  MissReason miss = MissReason::none;
  std::int32_t miss_token = -1;  ///< position of the first token that was not found
};

/// Counters since the start, and the pool at this moment. used + cached + quarantined + free = total.
struct KvCacheCounts {
  int total = 0, used = 0, cached = 0, quarantined = 0, free = 0, swap_total = 0, swap_used = 0;
  std::int64_t evicted = 0, copied = 0, merged = 0;
};

/// Engine thread only.
class KvCache {
 public:
  explicit KvCache(const KvCacheConfig& config);  ///< config.check() holds

  const KvCacheConfig& config() const { return config_; }
  KvCacheCounts counts() const;
  int block_size() const { return config_.block_size; }
  int total() const { return config_.blocks; }
  int blocks_for(int tokens) const { return (tokens + config_.block_size - 1) / config_.block_size; }

  /// Forgets every cached prefix. Refused, with the numbers, while a request holds blocks.
  Result<void> reset_prefixes();

  /// Pool equation, reference counts, free list, index and swap space agree; the message names the first
  /// fault. `owners`: how many references each used block should have.
  Result<void> check() const;
  Result<void> check(const std::unordered_map<BlockId, int>& owners) const;
  std::string dump() const;  ///< all of the state, for comparison

  // What follows is the scheduler's.

  /// The longest prefix of `tokens` under `root` that is cached, one token short of all of them at most.
  /// `keys`: of all full blocks of `tokens`.
  PrefixMatch match(PrefixNode root, std::span<const TokenId> tokens,
                    std::span<const std::uint64_t> keys) const;

  /// Ends the pool's transaction; what was evicted leaves the index.
  void keep();

  /// Block `index` of `table` is computed and committed and holds `tokens`, all blocks before it are
  /// published. It becomes findable; or, where another block with the same content is, that one takes its
  /// place in the table, the own one is freed behind `fence`, and the answer is true.
  bool publish(PrefixNode root, BlockTable& table, std::size_t index, std::uint64_t key,
               std::span<const TokenId> tokens, std::uint64_t fence);

  /// The first `tokens` of a sequence's last, partly filled block become findable, unless they are already.
  void publish_tail(PrefixNode parent, std::span<const TokenId> tokens, BlockId block);

  void count_copies(int copies) { copied_ += copies; }

  BlockPool& pool() { return pool_; }
  const BlockPool& pool() const { return pool_; }
  PrefixIndex& index() { return index_; }
  const PrefixIndex& index() const { return index_; }
  SwapSpace& swap() { return swap_; }
  const SwapSpace& swap() const { return swap_; }

 private:
  MissReason miss_reason(std::span<const TokenId> tokens, std::span<const std::uint64_t> keys,
                         const PrefixMatch& match, bool goes_on) const;
  Result<void> check_index() const;

  KvCacheConfig config_;
  BlockPool pool_;
  PrefixIndex index_;
  SwapSpace swap_;
  std::int64_t evicted_ = 0, copied_ = 0, merged_ = 0;
};

}  // namespace pitwall
