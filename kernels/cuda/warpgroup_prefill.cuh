// SPDX-License-Identifier: GPL-3.0-or-later
// Prefill attention on sm_90a; prefill_attention.cu picks it. A block of threads is three warpgroups: one
// copies (q by its threads, pages of 16-bit keys and values by tensor map, fp8 by its threads, which widen
// them to float16), two compute 64 packed rows each. Scores of a tile are multiplied while the values of the
// tile before are gathered, and the two take turns, so that one's softmax hides behind the other's products.
// Tiles of q, keys and values are panels of 64 columns: 128 rows of 128 bytes, 16-byte chunks permuted in
// every eight rows as the products read them.
#pragma once
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/row_tile.cuh"
#include "kernels/cuda/wgmma.cuh"

namespace pitwall::cuda {

/// kDim: 64 or 128; columns that heads lack are zeros.
template <KvDtype kDtype, int kDim>
struct WarpgroupTraits : KvNumbers<kDtype> {
  static_assert(kDim == 64 || kDim == 128);
  static constexpr bool kIsByte = KvNumbers<kDtype>::kIsByte;
  static constexpr int kRows = 128, kKeys = 128, kStages = 2;
  static constexpr int kGroup = 128;  ///< threads of a warpgroup
  static constexpr int kThreads = 3 * kGroup, kComputing = 2 * kGroup;
  static constexpr int kQueryThreads = kIsByte ? kGroup : kGroup - kLanes;
  static constexpr int kPanels = kDim / 64, kPanelBytes = 128 * 128;
  static constexpr int kTileBytes = kPanels * kPanelBytes;
  static constexpr int kKeysAt = kStages * kTileBytes, kValuesAt = kKeysAt + kStages * kTileBytes;
  static constexpr int kBarriersAt = kValuesAt + kStages * kTileBytes;
  static constexpr int kRowsAt = kBarriersAt + 6 * kStages * 8;
  static constexpr int kStoredAt = kRowsAt + 128;  ///< of bytes, a tile of keys and one of values
  static_assert(kStages * sizeof(RowTile) <= 128);
  static constexpr int kSharedBytes = kStoredAt + (kIsByte ? 2 * kKeys * kDim : 0);
  static constexpr int kSteps = kDim / 16, kScoreTiles = kKeys / 8, kOutTiles = kDim / 8;
  static constexpr int kCopyRegisters = kIsByte ? 72 : 56,
                       kComputeRegisters = kIsByte ? 216 : 224;  ///< of a thread
};

#if defined(PITWALL_HAS_WGMMA)

/// Where a sequence of tiles goes around kStages places.
struct Turn {
  int count = 0;
  __device__ int place() const { return count % 2; }
  __device__ int parity() const { return count / 2 % 2; }
};

template <KvDtype kDtype, int kDim>
struct WarpgroupBlock {
  using Traits = WarpgroupTraits<kDtype, kDim>;
  static constexpr bool kIsHalf = Traits::kIsHalf, kIsByte = Traits::kIsByte;
  static constexpr int kRows = Traits::kRows, kKeys = Traits::kKeys;
  static_assert(Traits::kStages == 2);

  const AttentionArgs& args;
  const CUtensorMap* pages;
  std::byte* shared;
  int segments, items;  ///< item: a tile of rows of a kv head
  int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  int side = warp / 4 - 1;  ///< of the computing warpgroups
  int group = args.heads / args.kv.kv_heads;

  __device__ int head_of(int item) const { return item % args.kv.kv_heads; }
  __device__ RowTile rows_of(int item) const {
    return row_tile<kRows>(args, item / args.kv.kv_heads, segments);
  }
  /// This block's item of a round. Work shrinks along the items of one segment: every other round goes the
  /// other way.
  __device__ int item_of(int round) const {
    const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
    const bool is_back = round % 2 == 1 && segments == 1;
    return round * blocks + (is_back ? blocks - 1 - block : block);
  }
  /// The query's rows, as those who copy it say.
  __device__ RowTile& query_rows(int place) const {
    return reinterpret_cast<RowTile*>(shared + Traits::kRowsAt)[place];
  }
  __device__ int first_key(const RowTile& rows) const { return rows.keys_begin / kKeys * kKeys; }
  __device__ int tile_count(const RowTile& rows) const {
    return (rows.keys_end - first_key(rows) + kKeys - 1) / kKeys;
  }

  enum Kind { query, keys, values };
  __device__ int offset(Kind kind, int place) const {
    return (kind * Traits::kStages + place) * Traits::kTileBytes;
  }
  __device__ std::uint32_t tile_at(Kind kind, int place) const {
    return shared_address(shared) + offset(kind, place);
  }
  __device__ std::uint32_t full(Kind kind, int place) const {
    return shared_address(shared) + Traits::kBarriersAt + (2 * kind + place) * 8;
  }
  __device__ std::uint32_t empty(Kind kind, int place) const { return full(kind, place) + 6 * 8; }

  /// Panels of a page into `kind`, from `line` of the pool on.
  __device__ void copy_page(Kind kind, int place, int page, int line) const {
#pragma unroll
    for (int panel = 0; panel < Traits::kPanels; ++panel) {
      copy_box(tile_at(kind, place) + panel * Traits::kPanelBytes + page * args.kv.block_size * 128, pages,
               64 * panel, line, full(kind, place));
    }
  }
  /// One warp: keys and values of all items, a page a lane. Pages that no row sees are not copied.
  __device__ void copy_pages() const {
    const KvView& kv = args.kv;
    Turn turn;
    for (int round = 0; item_of(round) < items; ++round) {
      const int item = item_of(round);
      const RowTile rows = rows_of(item);
      const int count = tile_count(rows);
      const std::int32_t* table =
          args.step.block_tables + std::int64_t{rows.segment.slot} * args.step.max_blocks;
      const auto load_block = [&](int tile) {
        const int position = first_key(rows) + tile * kKeys + lane * kv.block_size;
        const bool is_used = lane < kKeys / kv.block_size && position < rows.keys_end &&
                             position + kv.block_size > rows.keys_begin;
        return is_used ? table[position / kv.block_size] : -1;
      };
      int next = load_block(0);
      for (int tile = 0; tile < count; ++tile, ++turn.count) {
        const int block = next;
        if (tile + 1 < count) next = load_block(tile + 1);
        const int used = __popc(__ballot_sync(0xFFFFFFFFu, block >= 0));
        const int line = (2 * block * kv.kv_heads + head_of(item)) * kv.block_size;
        for (const Kind kind : {keys, values}) {
          barrier_wait(empty(kind, turn.place()), turn.parity() ^ 1);
          if (lane == 0)
            barrier_expect(full(kind, turn.place()), used * kv.block_size * 128 * Traits::kPanels);
          __syncwarp();
          if (block >= 0)
            copy_page(kind, turn.place(), lane, line + (kind == values ? kv.kv_heads * kv.block_size : 0));
        }
      }
    }
  }

  /// Where a chunk of eight columns lies in a tile.
  __device__ static int chunk_at(int row, int chunk) {
    return chunk / 8 * Traits::kPanelBytes + row * 128 + (chunk ^ row) % 8 * 16;
  }
  /// q of an item, by kQueryThreads threads.
  __device__ void copy_query(const RowTile& rows, int head, const Turn& turn, int thread) const {
    constexpr int kChunks = kDim / 8;
    const int dim = args.kv.head_dim;
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(args.q.data) % 16 == 0 && args.q.stride % 8 == 0 && dim % 8 == 0;
    barrier_wait(empty(query, turn.place()), turn.parity() ^ 1);
    std::byte* to = shared + offset(query, turn.place());
    if (thread == 0) query_rows(turn.place()) = rows;
    const auto for_each_chunk = [&](const auto& take) {
#pragma unroll 4
      for (int i = thread; i < kRows * kChunks; i += Traits::kQueryThreads) {
        const int r = i / kChunks, chunk = i % kChunks;
        const int packed = rows.first + r;
        const int count = packed < rows.total ? dim - chunk * 8 : 0;
        const std::int64_t row = rows.segment.first_row + packed / group;
        const bf16* from =
            args.q.data + row * args.q.stride + (head * group + packed % group) * dim + chunk * 8;
        take(reinterpret_cast<uint4*>(to + chunk_at(r, chunk)), from, count);
      }
    };
    if (is_aligned) {
      for_each_chunk([&](uint4* place, const bf16* from, int count) {
        copy_async_16(shared_address(place), count > 0 ? from : args.q.data, count > 0 ? 16 : 0);
      });
      copy_async_commit();
      copy_async_wait<0>();
    } else {
      for_each_chunk(
          [&](uint4* place, const bf16* from, int count) { *place = load_eight(from, count, false); });
    }
    publish_stores();
    barrier_arrive(full(query, turn.place()));
  }
  /// Three warps: q of all items.
  __device__ void copy_queries() const {
    Turn turn;
    for (int round = 0; item_of(round) < items; ++round, ++turn.count) {
      const int item = item_of(round);
      copy_query(rows_of(item), head_of(item), turn, static_cast<int>(threadIdx.x) - kLanes);
    }
  }

  static constexpr int kStoredChunks = kDim / 16;                                 ///< of a token's bytes
  static constexpr int kChunksOfThread = kKeys * kStoredChunks / Traits::kGroup;  ///< of a tile
  /// Blocks of a tile's tokens: lane n has that of tokens [16·n, 16·n + 16).
  __device__ int load_blocks(const RowTile& rows, int tile) const {
    const int position = first_key(rows) + tile * kKeys + lane * 16;
    if (lane >= kKeys / 16 || position >= rows.keys_end || position + 16 <= rows.keys_begin) return 0;
    return args.step
        .block_tables[std::int64_t{rows.segment.slot} * args.step.max_blocks + position / args.kv.block_size];
  }
  /// Starts the copy of a tile as stored, each thread the chunks that it will widen: one column of chunks,
  /// every kTokenStep tokens. What no row sees becomes zeros.
  __device__ void fetch_stored(Kind kind, const RowTile& rows, int head, int tile, int blocks) const {
    const KvView& kv = args.kv;
    constexpr int kTokenStep = Traits::kGroup / kStoredChunks;
    static_assert(kTokenStep % 16 == 0);
    const int thread = static_cast<int>(threadIdx.x);
    const int chunk = thread % kStoredChunks, in_group = thread / kStoredChunks;
    const int first = first_key(rows) + tile * kKeys + in_group;
    const std::uint32_t to = shared_address(shared) + Traits::kStoredAt + (kind == values ? kKeys * kDim : 0);
    const std::int64_t of_head = ((kind == values ? kv.kv_heads : 0) + head) * kv.block_size;
    const bool has_columns = chunk * 16 < kv.padded_dim;
#pragma unroll
    for (int i = 0; i < kChunksOfThread; ++i) {
      const int position = first + i * kTokenStep;
      const std::int64_t block = __shfl_sync(0xFFFFFFFFu, blocks, (i * kTokenStep + in_group) / 16);
      const std::int64_t line =
          block * (2 * kv.kv_heads * kv.block_size) + of_head + (position & (kv.block_size - 1));
      const bool is_used = has_columns && position >= rows.keys_begin && position < rows.keys_end;
      copy_async_16(to + (thread + i * Traits::kGroup) * 16,
                    kv.numbers + (is_used ? line * kv.padded_dim + chunk * 16 : 0), is_used ? 16 : 0);
    }
    copy_async_commit();
  }
  __device__ void widen_stored(Kind kind, const Turn& turn) const {
    barrier_wait(empty(kind, turn.place()), turn.parity() ^ 1);
    const std::byte* from = shared + Traits::kStoredAt + (kind == values ? kKeys * kDim : 0);
    std::byte* to = shared + offset(kind, turn.place());
#pragma unroll 4
    for (int i = 0; i < kChunksOfThread; ++i) {
      const int index = static_cast<int>(threadIdx.x) + i * Traits::kGroup;
      const int token = index / kStoredChunks, chunk = index % kStoredChunks;
      const uint4 bytes = *reinterpret_cast<const uint4*>(from + index * 16);
      uint4 low, high;
      widen<kDtype>(bytes.x, low.x, low.y);
      widen<kDtype>(bytes.y, low.z, low.w);
      widen<kDtype>(bytes.z, high.x, high.y);
      widen<kDtype>(bytes.w, high.z, high.w);
      *reinterpret_cast<uint4*>(to + chunk_at(token, 2 * chunk)) = low;
      *reinterpret_cast<uint4*>(to + chunk_at(token, 2 * chunk + 1)) = high;
    }
    publish_stores();
    barrier_arrive(full(kind, turn.place()));
  }
  /// Four warps: q, keys and values of all items.
  __device__ void copy_and_widen() const {
    Turn turn, query_turn;
    for (int round = 0; item_of(round) < items; ++round, ++query_turn.count) {
      const int item = item_of(round), head = head_of(item);
      const RowTile rows = rows_of(item);
      const int count = tile_count(rows);
      copy_query(rows, head, query_turn, static_cast<int>(threadIdx.x));
      int blocks = load_blocks(rows, 0);
      fetch_stored(keys, rows, head, 0, blocks);
      fetch_stored(values, rows, head, 0, blocks);
      for (int tile = 0; tile < count; ++tile, ++turn.count) {
        const bool goes_on = tile + 1 < count;
        if (goes_on) blocks = load_blocks(rows, tile + 1);
        for (const Kind kind : {keys, values}) {
          copy_async_wait<1>();
          widen_stored(kind, turn);
          if (goes_on) {
            fetch_stored(kind, rows, head, tile + 1, blocks);
          } else {
            copy_async_commit();
          }
        }
      }
      copy_async_wait<0>();
    }
  }

  using Scores = float[Traits::kScoreTiles][4];
  using Out = float[Traits::kOutTiles][4];
  using Powers = std::uint32_t[kKeys / 16][4];  ///< as A fragments

  __device__ void wait_full(Kind kind, const Turn& turn) const {
    barrier_wait(full(kind, turn.place()), turn.parity());
  }
  __device__ void leave(Kind kind, const Turn& turn) const {
    if (threadIdx.x % Traits::kGroup == 0) barrier_arrive(empty(kind, turn.place()));
  }
  /// The two warpgroups issue products by turns.
  __device__ void await_turn() const {
    if (side == 0) {
      group_sync<2>(Traits::kComputing);
    } else {
      group_sync<3>(Traits::kComputing);
    }
  }
  __device__ void pass_turn(int to) const {
    if (to == 0) {
      group_arrive<2>(Traits::kComputing);
    } else {
      group_arrive<3>(Traits::kComputing);
    }
  }

  /// Starts scores = q·kᵀ.
  __device__ void score(Scores& scores, int query_place, int keys_place) const {
    const std::uint64_t a = panel_description(tile_at(query, query_place) + side * 64 * 128, 16);
    const std::uint64_t b = panel_description(tile_at(keys, keys_place), 16);
#pragma unroll
    for (int step = 0; step < Traits::kSteps; ++step) {
      const int on = (step / 4 * Traits::kPanelBytes + step % 4 * 32) / 16;
      multiply_keys<kIsHalf>(scores, a + on, b + on, step > 0);
    }
    products_commit();
  }
  /// Starts out = or += p·v.
  __device__ void gather(Out& out, const Powers& p, int place, bool adds) const {
    const std::uint64_t b = panel_description(tile_at(values, place), Traits::kPanelBytes);
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step)
      multiply_values<kIsHalf>(out, p[step], b + step * (16 * 128 / 16), adds || step > 0);
    products_commit();
  }

  /// What this lane's rows g and g + 8 see: positions (before, last].
  struct Sight {
    int last[2], before[2];
  };
  __device__ int packed_row(const RowTile& rows, int half) const {
    return rows.first + (side * 4 + warp % 4) * 16 + lane / 4 + 8 * half;
  }
  __device__ Sight sight_of(const RowTile& rows) const {
    Sight sight;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      sight.last[half] = rows.segment.first_position + min(packed_row(rows, half), rows.total - 1) / group;
      sight.before[half] = args.window > 0 ? sight.last[half] - args.window : -1;
    }
    return sight;
  }
  /// Cap and mask.
  __device__ void finish_scores(Scores& scores, const RowTile& rows, const Sight& sight, int tile,
                                const ScoreRule& rule) const {
    const int first = first_key(rows) + tile * kKeys, t = lane % 4;
    if (rule.cap_in != 0) {
#pragma unroll
      for (int n = 0; n < Traits::kScoreTiles; ++n) {
#pragma unroll
        for (int j = 0; j < 4; ++j) scores[n][j] = rule.capped(scores[n][j]);
      }
    }
    const bool is_edge = first + kKeys - 1 > rows.first_position ||
                         (args.window > 0 && first <= rows.last_position - args.window);
    if (!is_edge) return;
#pragma unroll
    for (int n = 0; n < Traits::kScoreTiles; ++n) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int at = first + 8 * n + 2 * t + j % 2;
        if (at > sight.last[j / 2] || at <= sight.before[j / 2]) scores[n][j] = -kInfinity;
      }
    }
  }
  /// Copied values that no row sees may be anything, and pages were left out: zeros, so that they add
  /// nothing.
  __device__ void clear_unseen(const RowTile& rows, int tile, int place) const {
    const int first = first_key(rows) + tile * kKeys;
    if (kIsByte || (first >= rows.keys_begin && first + kKeys <= rows.keys_end)) return;
    std::byte* to = shared + offset(values, place);
    for (int i = static_cast<int>(threadIdx.x) - Traits::kGroup; i < kKeys * 8 * Traits::kPanels;
         i += Traits::kComputing) {
      const int row = i / 8 % kKeys, panel = i / (8 * kKeys);
      if (first + row < rows.keys_begin || first + row >= rows.keys_end)
        *reinterpret_cast<uint4*>(to + panel * Traits::kPanelBytes + row * 128 + i % 8 * 16) = {0, 0, 0, 0};
    }
    publish_stores();
    group_sync<1>(Traits::kComputing);
  }
  __device__ void pack_all(Powers& p, const Scores& scores) const {
#pragma unroll
    for (int n = 0; n < kKeys / 16; ++n) pack_powers<kIsHalf>(p[n], scores[2 * n], scores[2 * n + 1]);
  }

  __device__ void write_out(const RowTile& rows, int head, RowSums& sums, const Out& out) const {
    const int dim = args.kv.head_dim, t = lane % 4;
    const float scale = kIsByte && args.kv.v_scales ? args.kv.v_scales[head] : 1;
    finish_sums(sums);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int packed = packed_row(rows, half);
      const std::int64_t row = rows.segment.first_row + packed / group;
      bf16* to = args.out.data + row * args.out.stride + (head * group + packed % group) * dim;
      const float factor = scale / sums.sum[half];  // a row sees itself, so that the sum is above 0
#pragma unroll
      for (int n = 0; n < Traits::kOutTiles; n += 4) {
        std::uint32_t eight[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
          eight[i] = pack_16(args.out, out[n + i][2 * half] * factor, out[n + i][2 * half + 1] * factor);
        transpose_quad(eight);
        if (packed < rows.total) store_eight(to, 8 * (n + t), dim, eight);
      }
    }
  }

  __device__ void compute() const {
    Turn turn, query_turn;
    if (side == 1) pass_turn(0);
    for (int round = 0; item_of(round) < items; ++round) {
      const int head = head_of(item_of(round));
      const ScoreRule rule(args.scale * (kIsByte && args.kv.k_scales ? args.kv.k_scales[head] : 1),
                           args.softcap);
      wait_full(query, query_turn);
      const RowTile rows = query_rows(query_turn.place());
      const Sight sight = sight_of(rows);
      const int count = tile_count(rows);
      RowSums sums;
      Scores scores;
      Out out;
      Powers p;
      float shrink[2];
      wait_full(keys, turn);
      await_turn();
      products_begin();
      score(scores, query_turn.place(), turn.place());
      pass_turn(1 - side);
      products_wait<0>();
      hold(scores);
      leave(keys, turn);
      finish_scores(scores, rows, sight, 0, rule);
      take_powers(scores, sums, shrink, rule.factor);
      pack_all(p, scores);
      for (int tile = 1; tile < count; ++tile) {
        const Turn before = turn;
        ++turn.count;
        wait_full(keys, turn);
        wait_full(values, before);
        clear_unseen(rows, tile - 1, before.place());
        await_turn();
        hold(scores);
        hold(out);
        products_begin();
        score(scores, query_turn.place(), turn.place());
        gather(out, p, before.place(), tile > 1);
        pass_turn(1 - side);
        products_wait<1>();
        hold(scores);
        leave(keys, turn);
        finish_scores(scores, rows, sight, tile, rule);
        take_powers(scores, sums, shrink, rule.factor);
        products_wait<0>();
        hold(out);
        leave(values, before);
        scale_rows(out, shrink);
        pack_all(p, scores);
      }
      leave(query, query_turn);
      ++query_turn.count;
      wait_full(values, turn);
      clear_unseen(rows, count - 1, turn.place());
      hold(out);
      products_begin();
      gather(out, p, turn.place(), count > 1);
      products_wait<0>();
      hold(out);
      leave(values, turn);
      ++turn.count;
      write_out(rows, head, sums, out);
    }
  }

  __device__ void run() const {
    if (threadIdx.x == 0) {
      for (const Kind kind : {query, keys, values}) {
        for (int place = 0; place < Traits::kStages; ++place) {
          barrier_init(full(kind, place), kind == query || kIsByte ? Traits::kQueryThreads : 1);
          barrier_init(empty(kind, place), 2);
        }
      }
      publish_barriers();
    }
    __syncthreads();
    if (warp < 4) {
      give_registers<Traits::kCopyRegisters>();
      if constexpr (kIsByte) {
        copy_and_widen();
      } else if (warp == 0) {
        copy_pages();
      } else {
        copy_queries();
      }
    } else {
      take_registers<Traits::kComputeRegisters>();
      compute();
    }
  }
};

#endif

/// Blocks take items in turn. `pages`: the layer's pool.
template <KvDtype kDtype, int kDim>
__global__ void __launch_bounds__(WarpgroupTraits<kDtype, kDim>::kThreads, 1)
    warpgroup_prefill_kernel(AttentionArgs args, const __grid_constant__ CUtensorMap pages, int segments,
                             int items) {
#if defined(PITWALL_HAS_WGMMA)
  extern __shared__ __align__(1024) uint4 memory[];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  WarpgroupBlock<kDtype, kDim>{args, &pages, reinterpret_cast<std::byte*>(memory), segments, items}.run();
#endif
}

/// A pool of 16-bit numbers as lines of a token's keys or values; boxes are 64 columns of a block.
CUtensorMap map_pages(const KvView& kv);

/// `segments` in host memory; multiprocessors: as many blocks.
template <KvDtype kDtype>
void launch_warpgroup_prefill(const AttentionArgs& args, const Segment* segments, int count,
                              int multiprocessors, cudaStream_t stream);

template <KvDtype kDtype, int kDim>
void launch_warpgroup_prefill_dim(const AttentionArgs& args, const Segment* segments, int count,
                                  int multiprocessors, cudaStream_t stream) {
  using Traits = WarpgroupTraits<kDtype, kDim>;
  const int items = args.kv.kv_heads * count_row_tiles<Traits::kRows>(args, segments, count);
  launch(warpgroup_prefill_kernel<kDtype, kDim>,
         dim3(static_cast<unsigned>(items < multiprocessors ? items : multiprocessors)),
         dim3(Traits::kThreads), Traits::kSharedBytes, stream, args,
         Traits::kIsByte ? CUtensorMap{} : map_pages(args.kv), count, items);
}

}  // namespace pitwall::cuda

#define PITWALL_WARPGROUP_PREFILL_OF(dtype)                                                           \
  namespace pitwall::cuda {                                                                           \
  template <>                                                                                         \
  void launch_warpgroup_prefill<dtype>(const AttentionArgs& args, const Segment* segments, int count, \
                                       int multiprocessors, cudaStream_t stream) {                    \
    if (args.kv.padded_dim <= 64)                                                                     \
      return launch_warpgroup_prefill_dim<dtype, 64>(args, segments, count, multiprocessors, stream); \
    launch_warpgroup_prefill_dim<dtype, 128>(args, segments, count, multiprocessors, stream);         \
  }                                                                                                   \
  }
