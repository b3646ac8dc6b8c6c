// SPDX-License-Identifier: GPL-3.0-or-later
// BlockPool: who owns each KV block. Blocks are free, in use, or quarantined (freed while a launched step may
// still touch them). used + quarantined + free = total, always.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace pitwall {

using BlockTable =
    std::vector<BlockId>;  ///< block i holds tokens [i·block_size, (i+1)·block_size) of a sequence

/// Engine thread only.
class BlockPool {
 public:
  BlockPool(int blocks, int block_size);

  /// All or nothing: appends `count` blocks to `table`, or returns false and changes nothing. Each has one
  /// reference.
  bool allocate(int count, BlockTable& table);

  /// Undoes the last allocate() of `count` blocks that stand at the end of `table`: the pool is as before it,
  /// to the byte.
  void undo_allocate(int count, BlockTable& table);

  /// Drops one reference of each. A block without references is free at once, or, with `fence` >
  /// released_step(), quarantined until release(fence).
  void free(std::span<const BlockId> blocks, std::uint64_t fence);

  /// Step `step` and all before it are over: what waited for them is free.
  void release(std::uint64_t step);

  int total() const { return static_cast<int>(references_.size()); }
  int free_count() const { return static_cast<int>(free_.size()); }
  int quarantined_count() const { return static_cast<int>(quarantined_.size()); }
  int used_count() const { return total() - free_count() - quarantined_count(); }
  int block_size() const { return block_size_; }
  int blocks_for(int tokens) const { return (tokens + block_size_ - 1) / block_size_; }
  std::uint32_t generation(
      BlockId block) const;  ///< grows each time the block is handed out: stale handles show

  /// The pool equation and the free list's integrity; the message names the first block at fault.
  Result<void> check() const;

 private:
  struct Fenced {
    std::uint64_t step;
    BlockId block;
  };
  int block_size_;
  std::vector<std::int32_t> references_;
  std::vector<std::uint32_t> generations_;
  std::vector<BlockId> free_;  // last in, first out
  std::vector<Fenced> quarantined_;
  std::uint64_t released_ = 0;
};

}  // namespace pitwall
