// SPDX-License-Identifier: GPL-3.0-or-later
// BlockPool: who owns each KV block. A block is free, used (referenced), cached (retained for its prefix, no
// references, evicted when blocks run out) or quarantined (no references, but a launched step may still touch
// it). used + cached + quarantined + free = total, always. No operation grows with the pool's size.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/cache/lazy_array.h"

namespace pitwall {

/// Block i holds tokens [i·block_size, (i+1)·block_size) of a sequence.
using BlockTable = std::vector<BlockId>;

/// Engine thread only.
class BlockPool {
 public:
  explicit BlockPool(int blocks) : total_(blocks) {}

  // A transaction: allocate and reference between begin and keep can be undone, to the byte.
  void begin();
  std::size_t savepoint() const { return changes_.size(); }
  void roll_back(std::size_t savepoint);  ///< undoes what came after it; the transaction goes on
  /// Ends the transaction; what it holds stays. Returns the blocks that were evicted, in order: whoever
  /// indexed them must forget them.
  std::vector<BlockId> keep();
  void cancel();  ///< roll_back(0) and end
  bool in_transaction() const { return open_; }
  int evictions() const;  ///< of the open transaction

  /// All or nothing, inside a transaction: appends `count` blocks with one reference each to `table`, free
  /// ones first, then cached ones, least recently used first; or returns false and changes nothing.
  bool allocate(int count, BlockTable& table);

  /// One more reference to a used or retained block.
  void reference(BlockId block);

  /// Drops one reference of each, last block first. Without references a block is quarantined while `fence` >
  /// the last released step, then cached if it is retained, free otherwise.
  void free(std::span<const BlockId> blocks, std::uint64_t fence);

  /// Step `step` and all before it are over: what waited for them is cached or free.
  void release(std::uint64_t step);

  /// From now on the block is kept for its prefix when nobody references it.
  void retain(BlockId block) { blocks_[index_of(block)].retained = true; }
  bool retained(BlockId block) const { return blocks_[index_of(block)].retained; }
  void forget_cached();  ///< no block is retained any more; what was cached is free

  int total() const { return total_; }
  int free_count() const { return total_ - fresh_ + static_cast<int>(free_.size()); }
  int cached_count() const { return cached_.count; }
  int quarantined_count() const { return quarantined_.count; }
  int used_count() const { return total_ - free_count() - cached_count() - quarantined_count(); }
  int available() const { return free_count() + cached_count(); }  ///< what allocate could give
  bool evictable(BlockId block) const { return blocks_[index_of(block)].place == Place::cached; }
  int references(BlockId block) const;
  /// Grows each time the block is handed out: a stale handle shows.
  std::uint32_t generation(BlockId block) const;
  std::vector<BlockId> cached() const;       ///< least recently used first
  int handed_out() const { return fresh_; }  ///< blocks from here on were never used

  /// The pool equation, lists and references agree; `owners` says how many references each block should have.
  Result<void> check(const std::unordered_map<BlockId, int>& owners) const;
  /// The same without knowing the owners.
  Result<void> check() const;
  std::string dump() const;  ///< all of the state, for comparison

 private:
  enum class Place : std::uint8_t { free, used, cached, quarantined };
  struct Block {
    std::int32_t references = 0;
    std::uint32_t generation = 0;
    std::uint64_t fence = 0;  // last launched step that touched it when it was freed
    std::int32_t previous = -1, next = -1;
    Place place = Place::free;
    bool retained = false;
  };
  struct List {  // through Block::previous and next
    std::int32_t first = -1, last = -1;
    int count = 0;
  };
  enum class Change : std::uint8_t { took_free, took_fresh, evicted, revived, shared };
  struct Undo {
    Change change;
    Place from;
    std::int32_t block, previous;
  };

  static std::size_t index_of(BlockId block) { return static_cast<std::size_t>(block.value); }
  List& list(Place place) { return place == Place::cached ? cached_ : quarantined_; }
  void insert_after(List& list, std::int32_t previous, std::int32_t block);
  void remove(List& list, std::int32_t block);
  void take(std::int32_t block, Change change);
  void undo(const Undo& change);
  Result<void> check_lists(std::vector<Place>& places) const;

  int total_;
  std::int32_t fresh_ = 0;          // blocks from here on were never handed out
  std::vector<std::int32_t> free_;  // last in, first out
  LazyArray<Block> blocks_;
  List cached_, quarantined_;
  std::uint64_t released_ = 0;
  std::vector<Undo> changes_;
  bool open_ = false;
};

}  // namespace pitwall
