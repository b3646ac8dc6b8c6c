// SPDX-License-Identifier: GPL-3.0-or-later
// KvCache: the scheduler's one door to KV blocks: the pool, the prefix index over it and the swap space
// beside it. It holds no KV itself. README.md is the contract.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/cache/cache_key.h"
#include "engine/telemetry/records.h"

namespace pitwall {

/// Block i holds tokens [i·block_size, (i+1)·block_size) of a sequence.
using BlockTable = std::vector<BlockId>;

struct KvCacheConfig {
  int blocks = 0;
  int block_size = 32;
  int swap_blocks = 0;  ///< host blocks; 0 = no swap space
  bool prefix_caching = true;
  std::string model_identity;              ///< part of every block's key
  std::optional<std::uint64_t> hash_seed;  ///< random unless pinned (simulation, tests)
};

/// What the prefix index has of a prompt.
struct PrefixMatch {
  BlockTable blocks;  ///< whole blocks from position 0, referenced by nobody yet
  BlockId tail;       ///< a block whose first tail_tokens positions come next: to be copied before use
  std::int32_t tail_tokens = 0;  ///< 0 = none
  std::int32_t tokens = 0;       ///< blocks·block_size + tail_tokens, at most prompt − 1
  MissReason miss = MissReason::none;
  std::int32_t miss_token = -1;
};

/// Counters since the start, and the pool at this moment. used + cached + quarantined + free = total.
struct KvCacheCounts {
  int total = 0, used = 0, cached = 0, quarantined = 0, free = 0, swap_total = 0, swap_used = 0;
  std::int64_t evicted = 0, copied = 0, merged = 0;
};

class BlockPool;
class PrefixIndex;
class SwapSpace;

/// Engine thread only.
class KvCache {
 public:
  explicit KvCache(const KvCacheConfig& config);
  ~KvCache();

  const KvCacheConfig& config() const;
  KvCacheCounts counts() const;
  int block_size() const;
  int total() const;
  int blocks_for(int tokens) const;

  /// Forgets every cached prefix. Refused, with the numbers, while a request holds blocks.
  Result<void> reset_prefixes();

  /// Pool equation, reference counts, free list, index and swap space agree; the message names the first
  /// fault.
  Result<void> check() const;

  BlockPool& pool() { return *pool_; }
  PrefixIndex& index() { return *index_; }
  SwapSpace& swap() { return *swap_; }

 private:
  KvCacheConfig config_;
  std::unique_ptr<BlockPool> pool_;
  std::unique_ptr<PrefixIndex> index_;
  std::unique_ptr<SwapSpace> swap_;
};

}  // namespace pitwall
