// SPDX-License-Identifier: GPL-3.0-or-later
// How prefill attention is cut: a segment's rows and the heads of a kv head's group are packed, so that
// packed row i is token i / group, head i % group; tiles of packed rows are what blocks of threads compute.
#pragma once
#include "kernels/cuda/attention_tile.cuh"

namespace pitwall::cuda {

/// A tile of packed rows: of which segment, and the positions that any of its rows sees.
struct RowTile {
  Segment segment;
  int first = 0;  ///< packed row
  int total = 0;  ///< packed rows of the segment
  int first_position = 0, last_position = 0;
  int keys_begin = 0, keys_end = 0;
};

/// Tiles of all segments, for one kv head. `segments` in host memory.
template <int kRows>
int count_row_tiles(const AttentionArgs& args, const Segment* segments, int count) {
  const int group = args.heads / args.kv.kv_heads;
  int tiles = 0;
  for (int s = 0; s < count; ++s) tiles += (segments[s].rows * group + kRows - 1) / kRows;
  return tiles;
}

/// Tile `index` of all segments' tiles; of a segment the last comes first, since it has the most keys. A warp
/// asks together.
template <int kRows>
__device__ inline RowTile row_tile(const AttentionArgs& args, int index, int segments) {
  const int group = args.heads / args.kv.kv_heads, lane = static_cast<int>(threadIdx.x) % kLanes;
  RowTile tile;
  int before = 0;
  for (int base = 0; base < segments; base += kLanes) {
    Segment segment{};
    if (base + lane < segments) segment = args.step.segments[base + lane];
    const int tiles = (segment.rows * group + kRows - 1) / kRows;
    int through = tiles;
    for (int distance = 1; distance < kLanes; distance *= 2) {
      const int other = __shfl_up_sync(0xFFFFFFFFu, through, distance);
      if (lane >= distance) through += other;
    }
    const unsigned holders = __ballot_sync(0xFFFFFFFFu, before + through > index);
    if (holders == 0) {
      before += __shfl_sync(0xFFFFFFFFu, through, kLanes - 1);
      continue;
    }
    const int holder = __ffs(static_cast<int>(holders)) - 1;
    const int last = before + __shfl_sync(0xFFFFFFFFu, through, holder) - 1;
    tile.segment = args.step.segments[base + holder];
    tile.first = (last - index) * kRows;
    break;
  }
  tile.total = tile.segment.rows * group;
  const int last = min(tile.first + kRows, tile.total) - 1;
  tile.first_position = tile.segment.first_position + tile.first / group;
  tile.last_position = tile.segment.first_position + last / group;
  tile.keys_begin = args.window > 0 ? max(0, tile.first_position + 1 - args.window) : 0;
  tile.keys_end = tile.last_position + 1;
  return tile;
}

}  // namespace pitwall::cuda
