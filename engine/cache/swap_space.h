// SPDX-License-Identifier: GPL-3.0-or-later
// SwapSpace: host blocks for the KV of preempted sequences. Handed out and taken back, nothing else.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace pitwall {

/// Engine thread only.
class SwapSpace {
 public:
  explicit SwapSpace(int blocks) : total_(blocks) {}

  /// All or nothing: appends `count` host blocks to `out`, or returns false and changes nothing.
  bool allocate(int count, std::vector<HostBlockId>& out);
  void free(std::span<const HostBlockId> blocks);

  int total() const { return total_; }
  int used_count() const { return fresh_ - static_cast<int>(free_.size()); }
  int free_count() const { return total_ - used_count(); }

  Result<void> check() const;  ///< no block is listed twice or outside the space
  std::string dump() const;

 private:
  int total_;
  int fresh_ = 0;                  // blocks from here on were never handed out
  std::vector<HostBlockId> free_;  // last in, first out
};

}  // namespace pitwall
