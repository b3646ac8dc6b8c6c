// SPDX-License-Identifier: GPL-3.0-or-later
// Which visits a block has: each expert's visits are cut into groups of a kernel's size, groups are counted
// over the experts in order, and every warp finds the block's for itself.
#pragma once
#include <cstdint>

namespace pitwall::cuda {

struct VisitGroup {
  int expert = -1;  ///< −1: there are fewer groups
  int first = 0, count = 0;
};

/// Group `index` of those of `size` visits. Called by whole warps.
__device__ inline VisitGroup find_group(const std::int32_t* first_visit, int experts, int index, int size) {
  const int lane = threadIdx.x % 32;
  for (int base = 0; base < experts; base += 32) {
    const int expert = base + lane;
    const int first = expert < experts ? first_visit[expert] : 0;
    const int visits = expert < experts ? first_visit[expert + 1] - first : 0;
    const int groups = (visits + size - 1) / size;
    int before = groups;  // of this lane's expert and those below, for now
    for (int distance = 1; distance < 32; distance *= 2) {
      const int other = __shfl_up_sync(0xFFFFFFFFu, before, distance);
      if (lane >= distance) before += other;
    }
    const int in_all = __shfl_sync(0xFFFFFFFFu, before, 31);
    if (index >= in_all) {
      index -= in_all;
      continue;
    }
    before -= groups;
    const bool mine = index >= before && index < before + groups;
    const int owner = __ffs(static_cast<int>(__ballot_sync(0xFFFFFFFFu, mine))) - 1;
    const int start = (index - before) * size;
    VisitGroup group{expert, first + start, min(size, visits - start)};
    group.expert = __shfl_sync(0xFFFFFFFFu, group.expert, owner);
    group.first = __shfl_sync(0xFFFFFFFFu, group.first, owner);
    group.count = __shfl_sync(0xFFFFFFFFu, group.count, owner);
    return group;
  }
  return {};
}

}  // namespace pitwall::cuda
