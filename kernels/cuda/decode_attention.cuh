// SPDX-License-Identifier: GPL-3.0-or-later
// Decode attention of one KV format; decode_attention.cu picks it. A block of threads computes one part of
// the plan, piece after piece. Its warps take turns at tiles of 16 tokens, each with its own ring of tiles in
// shared memory and its own softmax; they are merged at the end of a piece. Copies run ahead over the pieces,
// and begin before the kernel ahead has ended (attention.h says what that one may write).
#pragma once
#include "kernels/cuda/decode_plan.cuh"
#include "kernels/cuda/decode_products.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/rotation.cuh"

namespace pitwall::cuda {

/// Of a power of two.
__device__ inline int log_of(int number) {
  return __ffs(number) - 1;
}

template <KvDtype kDtype, int kDim, int kHeadTiles, bool kIsFull>
struct DecodeBlock {
  using Traits = DecodeTraits<kDtype, kDim, kHeadTiles>;
  using Products = DecodeProducts<kDtype, kDim, kHeadTiles, kIsFull>;
  using Query = typename Products::Query;
  using Scores = typename Products::Scores;
  using Out = typename Products::Out;
  using HeadSums = typename Products::HeadSums;
  static constexpr bool kIsByte = Traits::kIsByte, kIsHalf = Traits::kIsHalf;
  /// q of the next piece while this one is merged, where registers are left.
  static constexpr bool kLoadsEarly = kDim * kHeadTiles <= 128;
  static constexpr bool kTakesNew = kIsFull && kDim <= 128;  ///< takes_new_tokens()
  /// Two tiles at a time, so that one's products fill what the other waits for, where enough stay on their
  /// way.
  static constexpr bool kTakesPairs = Traits::kStages >= 6 && kHeadTiles == 1;

  const AttentionArgs& args;
  const DecodePlan& plan;
  std::byte* shared;
  int part;
  int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  int group = args.heads / args.kv.kv_heads;
  Products products{args.kv.padded_dim};
  int block_log = log_of(args.kv.block_size);
  int line_bytes = padded_dim() * Traits::kBytes;
  int to_values = args.kv.kv_heads * args.kv.block_size * line_bytes;  ///< from the keys of a block

  __device__ int padded_dim() const { return kIsFull ? kDim : args.kv.padded_dim; }

  __device__ std::byte* stage(int s) const {
    return shared + (warp * Traits::kStages + s) * (2 * Traits::kHalfTile);
  }
  __device__ std::byte* stage_scales(int s) const {
    return shared + Traits::kScalesAt + (warp * Traits::kStages + s) * Traits::kScaleBytes;
  }

  /// A piece of the part, and which of its group's heads are computed.
  struct Place {
    const Piece* piece;
    int first_row = 0;
  };
  /// Whether there is another.
  __device__ bool advance(Place& place) const {
    place.first_row += Traits::kHeads;
    if (place.first_row < group) return true;
    place.first_row = 0;
    const int next = place.piece->next;
    if (next >= 0) place.piece = plan.pieces + next;
    return next >= 0;
  }

  /// This warp's tiles of a piece: `count` of them, kWarps apart.
  struct Tiles {
    int seen = 0, end = 0, last = 0;  ///< the piece's
    int position = 0, count = 0;
    __device__ int position_of(int tile) const { return position + tile * Traits::kWarps * kTileTokens; }
  };
  __device__ Tiles tiles_of(const Piece& piece) const {
    Tiles tiles{piece.seen, piece.end, piece.last, piece.first + warp * kTileTokens, 0};
    constexpr int kTurn = Traits::kWarps * kTileTokens;
    tiles.count = max(0, (tiles.end - tiles.position + kTurn - 1) / kTurn);
    return tiles;
  }

  /// Runs ahead of what is computed, over the same tiles.
  struct Fetcher {
    Place place;
    Tiles tiles;
    const std::int32_t* table = nullptr;
    const std::byte* numbers = nullptr;  ///< the head's in block 0
    int head = 0, tile = 0, position = 0, stage = 0;
    bool is_done = false;
    int ids = 0, next_ids = 0;  ///< block of tile 32·n + lane; of the 32 after those
  };
  __device__ int load_id(const Fetcher& from, int tile) const {
    return tile < from.tiles.count ? from.table[from.tiles.position_of(tile) >> block_log] : 0;
  }
  __device__ void open_piece(Fetcher& from) const {
    const Piece& piece = *from.place.piece;
    from.tiles = tiles_of(piece);
    from.table = args.step.block_tables + std::int64_t{piece.slot} * args.step.max_blocks;
    from.head = piece.head;
    from.numbers = args.kv.numbers + std::int64_t{piece.head} * args.kv.block_size * line_bytes;
    from.tile = 0;
    from.position = from.tiles.position;
    from.ids = load_id(from, lane);
    from.next_ids = load_id(from, kLanes + lane);
  }
  /// To a tile, or done.
  __device__ void settle(Fetcher& from) const {
    while (from.tile == from.tiles.count && !from.is_done) {
      from.is_done = !advance(from.place);
      if (!from.is_done) open_piece(from);
    }
  }
  /// Whether the tile ahead was written in steps before: all tokens but a row's last.
  __device__ bool is_old(const Fetcher& from) const {
    return !from.is_done && from.position + kTileTokens <= from.tiles.last;
  }

  /// Copies of a tile's keys and values; kIsEdge: tokens that the row does not see become zeros.
  template <bool kIsEdge>
  __device__ void copy_tile(const Fetcher& from, const std::byte* keys, std::uint32_t to) const {
    constexpr int kTokens = kLanes / Traits::kChunks;  // whose chunks the lanes copy at once
    const int first = lane / Traits::kChunks, chunk = lane % Traits::kChunks;
    const std::byte* here = keys + first * line_bytes + chunk * 16;
    if (!kIsFull && chunk * 16 >= line_bytes) return;
#pragma unroll
    for (int i = 0; i < kTileTokens / kTokens; ++i) {
      const int at = from.position + first + i * kTokens;
      const int bytes = !kIsEdge || (at >= from.tiles.seen && at < from.tiles.end) ? 16 : 0;
      const int ahead = i * kTokens * (kIsFull ? kDim * Traits::kBytes : line_bytes);
      const std::uint32_t place = to + chunk_offset<Traits::kChunks>(first + i * kTokens, chunk);
      copy_async_16(place, here + ahead, bytes);
      copy_async_16(place + Traits::kHalfTile, here + to_values + ahead, bytes);
    }
  }
  /// Starts the copy of the tile ahead.
  __device__ void fetch(Fetcher& from) const {
    if (!from.is_done) {
      const int tile = from.tile, position = from.position;
      if (tile > 0 && tile % kLanes == 0) {
        from.ids = from.next_ids;
        from.next_ids = load_id(from, tile + kLanes + lane);
      }
      const int block = __shfl_sync(0xFFFFFFFFu, from.ids, tile % kLanes);
      const int in_block = position & (args.kv.block_size - 1);
      const std::byte* keys = from.numbers + std::int64_t{block} * (2 * to_values) + in_block * line_bytes;
      const std::uint32_t to = shared_address(stage(from.stage));
      if (position >= from.tiles.seen && position + kTileTokens <= from.tiles.end) {
        copy_tile<false>(from, keys, to);
      } else {
        copy_tile<true>(from, keys, to);
      }
      if constexpr (Traits::kHasTokenScales) {
        if (lane < 8) {
          const KvView& kv = args.kv;
          const std::int64_t heads = lane < 4 ? 2 * std::int64_t{block} : 2 * std::int64_t{block} + 1;
          const float* scales =
              kv.token_scales + ((heads * kv.kv_heads + from.head) << block_log) + in_block + lane % 4 * 4;
          copy_async_16(shared_address(stage_scales(from.stage)) + lane * 16, scales);
        }
      }
      ++from.tile;
      from.position += Traits::kWarps * kTileTokens;
      if (++from.stage == Traits::kStages) from.stage = 0;
    }
    copy_async_commit();
  }

  __device__ bool takes_new() const {
    return kTakesNew && args.fresh.k.data != nullptr;
  }
  /// Cosines, then sines of a row's position.
  __device__ const float* turns_of(const Piece& piece) const {
    const RopeView& rope = args.fresh.rope;
    const bool is_long = rope.long_table != nullptr && args.step.long_rope[piece.slot] != 0;
    return (is_long ? rope.long_table : rope.table) + std::int64_t{piece.last} * kDim;
  }
  /// A row's token at its last position, of one kv head, by one warp: its first lanes have k, the next ones
  /// v.
  __device__ void append_token(const Piece& piece) const {
    constexpr int kOwn = kDim / kEight;  // lanes of a head
    const KvView& kv = args.kv;
    const int e = lane % kOwn * kEight;
    const bool is_v = lane / kOwn % 2 == 1, is_there = lane < 2 * kOwn;
    const Rows16& from = is_v ? args.fresh.v : args.fresh.k;
    const Rotation<kOwn, true> rotation(turns_of(piece), kDim, RopeSpec::Pairing::halves, e);
    Eight x = load_eight<true>(from, piece.row, piece.head * kDim + e, is_there ? kEight : 0);
    const Eight turned = rotation.turned(x, nullptr);
    if (!is_v) x = turned;
    if constexpr (kDtype == KvDtype::float16) hold(x, from.cut);
    const std::int64_t block =
        args.step.block_tables[std::int64_t{piece.slot} * args.step.max_blocks + (piece.last >> block_log)];
    const std::int64_t line =
        (((2 * block + is_v) * kv.kv_heads + piece.head) << block_log) + (piece.last & (kv.block_size - 1));
    float scale = 1;
    if constexpr (kDtype == KvDtype::int8) {
      scale = scale_of<kOwn>(x);
      if (is_there && e == 0) kv.token_scales[line] = scale;
    }
    if constexpr (kDtype == KvDtype::fp8_e4m3) {
      const float* scales = is_v ? kv.v_scales : kv.k_scales;
      if (scales != nullptr) scale = __ldg(scales + piece.head);
    }
    int cut = is_there ? append<kDtype>(x, kv, line, e, scale) : 0;
    if constexpr (kDtype == KvDtype::fp8_e4m3) {
      if (kv.saturation == nullptr) return;
      cut = __reduce_add_sync(kAll, cut);
      if (lane != 0) return;
      atomicAdd(kv.saturation, 2ull * kDim);
      if (cut > 0) atomicAdd(kv.saturation + 1, static_cast<unsigned long long>(cut));
    }
  }
  /// Those that lie in this part. All warps come here once, then may read them.
  __device__ void append_tokens() const {
    int count = 0;
    for (const Piece* piece = plan.parts + part;; piece = plan.pieces + piece->next) {
      if (piece->slot >= 0 && piece->end > piece->last && count++ % Traits::kWarps == warp)
        append_token(*piece);
      if (piece->next < 0) break;
    }
    __syncthreads();
  }

  __device__ void load_query(Query& q, const Place& place) const {
    const int dim = args.kv.head_dim, first = place.piece->head * group + place.first_row;
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(args.q.data) % 4 == 0 && args.q.stride % 2 == 0 && dim % 2 == 0;
    products.load_query(q, args.q.data + std::int64_t{place.piece->row} * args.q.stride + first * dim, dim,
                        group - place.first_row, is_aligned);
  }

  /// A score, and its token in the tile.
  template <class Act>
  __device__ void for_each(Scores& scores, const Act& act) const {
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
      for (int j = 0; j < 4; ++j) act(scores[h][j], lane / 4 + j / 2 * 8);
    }
  }
  /// In powers of two, of the tile at stage `s` that begins at `position`.
  __device__ void score_tile(Scores& scores, const Tiles& tiles, int position, int s, const Query& q,
                             const ScoreRule& rule) const {
    products.score(scores, q, shared_address(stage(s)));
    if constexpr (Traits::kHasTokenScales) {
      const float* scales = reinterpret_cast<const float*>(stage_scales(s));
      for_each(scores, [&](float& score, int token) { score *= scales[token]; });
    }
    if (rule.cap_in != 0) for_each(scores, [&](float& score, int) { score = rule.capped(score); });
    for_each(scores, [&](float& score, int) { score *= rule.factor; });
    if (position >= tiles.seen && position + kTileTokens <= tiles.end) return;
    for_each(scores, [&](float& score, int token) {
      if (position + token < tiles.seen || position + token >= tiles.end) score = -kInfinity;
    });
  }
  /// Powers times the tile's values.
  __device__ void gather_tile(Out& out, Scores& powers, int s) const {
    if constexpr (Traits::kHasTokenScales) {
      const float* scales = reinterpret_cast<const float*>(stage_scales(s)) + kTileTokens;
      // Scales of tokens that nobody wrote may be anything.
      for_each(powers,
               [&](float& power, int token) { power = power > 0 ? power * (scales[token] * kInt8Lift) : 0; });
    }
    std::uint32_t p[kHeadTiles][2];
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) {
      p[h][0] = transpose_matrix(pack<kIsHalf>(powers[h][0], powers[h][1]));
      p[h][1] = transpose_matrix(pack<kIsHalf>(powers[h][2], powers[h][3]));
    }
    products.gather(out, p, shared_address(stage(s)) + Traits::kHalfTile);
  }
  /// The next kCount tiles of this warp's ring, the first at stage `turn`.
  template <int kCount>
  __device__ void take_tiles(const Tiles& tiles, int tile, int& turn, const Query& q, const ScoreRule& rule,
                             HeadSums& heads, Out& out) const {
    copy_async_wait<Traits::kStages - kCount>();
    __syncwarp();  // the tiles are there for all lanes
    int stages[kCount];
#pragma unroll
    for (int& s : stages) {
      s = turn;
      if (++turn == Traits::kStages) turn = 0;
    }
    Scores scores[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      score_tile(scores[i], tiles, tiles.position_of(tile + i), stages[i], q, rule);
    products.take_powers(scores, heads, out);
#pragma unroll
    for (int i = 0; i < kCount; ++i) gather_tile(out, scores[i], stages[i]);
    __syncwarp();  // all are done with them
  }

  /// What turns a finished sum into the output of a kv head.
  __device__ float out_scale(int head) const {
    if constexpr (kDtype == KvDtype::fp8_e4m3) return args.kv.v_scales ? args.kv.v_scales[head] : 1;
    return Traits::kHasTokenScales ? 1 / kInt8Lift : 1;
  }
  /// Four columns of a result.
  __device__ void write_out(const Piece& piece, int group_row, int column, float4 sum, float total,
                            float scale) const {
    const int dim = args.kv.head_dim;
    bf16* to = args.out.data + std::int64_t{piece.row} * args.out.stride +
               (piece.head * group + group_row) * dim + column;
    const float factor = total > 0 ? scale / total : 0;
    const float numbers[4] = {sum.x * factor, sum.y * factor, sum.z * factor, sum.w * factor};
    if (dim % 4 == 0) {
      if (column < dim)
        *reinterpret_cast<uint2*>(to) = {pack_16(args.out, numbers[0], numbers[1]),
                                         pack_16(args.out, numbers[2], numbers[3])};
      return;
    }
    for (int i = 0; i < 4; ++i) {
      if (column + i < dim) put_16(args.out, to + i, numbers[i]);
    }
  }
  /// A partial result of a row: its numbers, then what powers are relative to and their sum.
  __device__ int partial_quads() const {
    return padded_dim() / 4 + 1;
  }
  __device__ float4* partial(int place, int group_row) const {
    return reinterpret_cast<float4*>(plan.partials) +
           (std::int64_t{place} * group + group_row) * partial_quads();
  }

  __device__ static void add_weighted(float4& sum, float weight, const float4& numbers) {
    sum.x += weight * numbers.x;
    sum.y += weight * numbers.y;
    sum.z += weight * numbers.z;
    sum.w += weight * numbers.w;
  }

  /// The warps' results, from the first to the last, into `out` or into this part's partial result.
  __device__ void merge_warps(const Place& place, HeadSums& heads, const Out& out) const {
    const Piece& piece = *place.piece;
    const int first_row = place.first_row;
    auto* numbers = reinterpret_cast<float*>(shared + Traits::kMergeAt);  // [warp][row][columns + 4]
    auto* sums = reinterpret_cast<float2*>(shared + Traits::kHeadsAt);    // [warp][row]: base, sum
    const int count = min(Traits::kHeads, group - first_row);
    const int columns = min(kDim, (Traits::kMergeFloats / (Traits::kWarps * count) - 4) / 16 * 16);
    const int pitch = columns + 4;  // rows meet different banks
    const int g = lane / 4, t = lane % 4;
    const int to_place = partial_place(part, piece.first_part);
    const float scale = out_scale(piece.head);
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
      for (int j = 0; j < 2; ++j)
        heads.sum[h][j] = Products::over_tokens(heads.sum[h][j], [](float a, float b) { return a + b; });
    }
    for (int first = 0; first < padded_dim(); first += columns) {
      __syncthreads();  // all have read what was there
#pragma unroll
      for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          const int r = 8 * h + 2 * t + j;
          if (r >= count) continue;
          float* to = numbers + (warp * count + r) * pitch - first;
#pragma unroll
          for (int step = 0; step < Traits::kSteps; ++step) {
            if (16 * step < first || 16 * step >= first + columns) continue;
            to[16 * step + value_column<kIsByte>(g)] = out[step][h][j];
            to[16 * step + value_column<kIsByte>(g + 8)] = out[step][h][j + 2];
          }
          if (g == 0) sums[warp * Traits::kHeads + r] = {heads.base[h][j], heads.sum[h][j]};
        }
      }
      __syncthreads();
      const int quads = columns / 4;
      for (int i = static_cast<int>(threadIdx.x); i < count * quads; i += Traits::kThreads) {
        const int r = i / quads, column = i % quads * 4;
        if (first + column >= padded_dim()) continue;
        float largest = -kInfinity, total = 0;
        float4 sum{0, 0, 0, 0};
#pragma unroll
        for (int w = 0; w < Traits::kWarps; ++w) largest = fmaxf(largest, sums[w * Traits::kHeads + r].x);
        const float base = largest == -kInfinity ? 0 : largest;
#pragma unroll
        for (int w = 0; w < Traits::kWarps; ++w) {
          const float2 of_warp = sums[w * Traits::kHeads + r];
          const float weight = power_of_two(of_warp.x - base);
          total += weight * of_warp.y;
          add_weighted(sum, weight,
                       *reinterpret_cast<const float4*>(numbers + (w * count + r) * pitch + column));
        }
        if (piece.is_whole()) {
          write_out(piece, first_row + r, first + column, sum, total, scale);
          continue;
        }
        float4* to = partial(to_place, first_row + r);
        to[(first + column) / 4] = sum;
        if (first + column == 0) to[padded_dim() / 4] = {largest, total, 0, 0};
      }
    }
  }

  /// The partial results of all parts, from the first to the last, into `out`. They come from other
  /// multiprocessors: many are on their way at once, to where tiles were. Little code, for it runs cold.
  __device__ void merge_parts(const Piece& piece) const {
    constexpr int kRows = 4;  // at once
    constexpr int kItems = (kRows * kDim / 4 + Traits::kThreads - 1) / Traits::kThreads;
    static_assert(kRows * (kDim + 4) * 4 <= Traits::kLeastRingBytes);
    auto* results = reinterpret_cast<float4*>(shared);  // [part][row][numbers and sum]
    const int quads = padded_dim() / 4, row_quads = partial_quads();
    const float scale = out_scale(piece.head);
    for (int first_row = 0; first_row < group; first_row += kRows) {
      const int rows = min(kRows, group - first_row), part_quads = rows * row_quads;
      const int at_once = Traits::kRingBytes / 16 / part_quads;
      float4 sums[kItems] = {};
      float largest[kItems], totals[kItems] = {};
      for (float& number : largest) number = -kInfinity;
      for (int first = 0; first < piece.parts; first += at_once) {
        const int count = min(at_once, piece.parts - first);
        __syncthreads();  // all have read what was there
        for (int p = warp; p < count; p += Traits::kWarps) {
          const float4* from =
              partial(partial_place(piece.first_part + first + p, piece.first_part), first_row);
          for (int i = lane; i < part_quads; i += kLanes)
            copy_async_16(shared_address(results + p * part_quads + i), from + i);
        }
        copy_async_commit();
        copy_async_wait<0>();
        __syncthreads();
#pragma unroll
        for (int item = 0; item < kItems; ++item) {
          const int i = static_cast<int>(threadIdx.x) + item * Traits::kThreads;
          if (i >= rows * quads) continue;
          const float4* row = results + i / quads * row_quads;
          const float before = largest[item];
#pragma unroll 4
          for (int p = 0; p < count; ++p) largest[item] = fmaxf(largest[item], row[p * part_quads + quads].x);
          const float base = largest[item] == -kInfinity ? 0 : largest[item];
          const float shrink = power_of_two(before - base);
          float4 sum{0, 0, 0, 0};
          add_weighted(sum, shrink, sums[item]);
          totals[item] *= shrink;
#pragma unroll 4
          for (int p = 0; p < count; ++p) {
            const float4 head = row[p * part_quads + quads];
            const float weight = power_of_two(head.x - base);
            totals[item] += weight * head.y;
            add_weighted(sum, weight, row[p * part_quads + i % quads]);
          }
          sums[item] = sum;
        }
      }
#pragma unroll
      for (int item = 0; item < kItems; ++item) {
        const int i = static_cast<int>(threadIdx.x) + item * Traits::kThreads;
        if (i < rows * quads)
          write_out(piece, first_row + i / quads, 4 * (i % quads), sums[item], totals[item], scale);
      }
    }
  }

  /// Pieces whose pair is spread over parts: the last block to finish one of a pair merges them. That is seen
  /// to in the end: a fence waits for all copies on their way.
  struct Open {
    int count;
    Piece pieces[2];
    bool is_last[2];
  };
  __device__ void close(Open& open) const {
    __syncthreads();
    if (const int i = static_cast<int>(threadIdx.x); i < open.count) {
      std::int32_t* arrived = plan.arrived + open.pieces[i].first_part;
      fence_device();
      open.is_last[i] = atomicAdd(arrived, 1) == open.pieces[i].parts - 1;
      fence_device();
      if (open.is_last[i]) *arrived = 0;
    }
    __syncthreads();
    for (int i = 0; i < open.count; ++i) {
      if (open.is_last[i]) merge_parts(open.pieces[i]);
    }
  }

  __device__ void run() const {
    __shared__ Open open;
    if (threadIdx.x == 0) open.count = 0;
    Place here{plan.parts + part};
    Fetcher ahead{here};
    open_piece(ahead);
    bool waits = true;
    const auto begin = [&] {
      waits = false;
      wait_for_kernel_ahead();
      if constexpr (kTakesNew) {
        if (takes_new()) append_tokens();
      }
    };
#pragma unroll 1
    for (int primed = 0; primed < Traits::kStages; ++primed) {
      settle(ahead);
      if (waits && !is_old(ahead)) begin();
      fetch(ahead);
    }
    if (waits) begin();
    let_next_kernel_start();
    Place done{nullptr};
    Query q;
    HeadSums heads;
    Out out;
    int turn = 0;  // stage
    // Each round merges the piece of the one before, while this one's q is on its way.
    for (bool goes_on = true;;) {
      if (goes_on && kLoadsEarly) load_query(q, here);
      if (done.piece != nullptr) merge_warps(done, heads, out);
      if (goes_on && !kLoadsEarly) load_query(q, here);
      if (!goes_on) break;
      const Piece& piece = *here.piece;
      if constexpr (kTakesNew) {
        if (takes_new() && piece.slot >= 0) products.turn_query(q, turns_of(piece), args.q);
      }
      float scale = args.scale;
      if constexpr (kDtype == KvDtype::fp8_e4m3) scale *= args.kv.k_scales ? args.kv.k_scales[piece.head] : 1;
      const ScoreRule rule(scale, args.softcap);
      const Tiles tiles = tiles_of(piece);
      heads = {};
      clear(out);
      const auto refill = [&] {
        settle(ahead);
        fetch(ahead);
      };
      int tile = 0;
      if constexpr (kTakesPairs) {
#pragma unroll 1
        for (; tile + 2 <= tiles.count; tile += 2) {
          take_tiles<2>(tiles, tile, turn, q, rule, heads, out);
          refill();
          refill();
        }
      }
#pragma unroll 1
      for (; tile < tiles.count; ++tile) {
        take_tiles<1>(tiles, tile, turn, q, rule, heads, out);
        refill();
      }
      done = here;
      goes_on = advance(here);
      if (threadIdx.x == 0 && !piece.is_whole() && done.first_row + Traits::kHeads >= group)
        open.pieces[open.count++] = piece;
    }
    close(open);
  }
  __device__ static void clear(Out& out) {
#pragma unroll
    for (auto& step : out) {
#pragma unroll
      for (auto& tile : step) {
#pragma unroll
        for (float& number : tile) number = 0;
      }
    }
  }
};

template <KvDtype kDtype, int kDim, int kHeadTiles, bool kIsFull>
__global__ void __launch_bounds__(DecodeTraits<kDtype, kDim, kHeadTiles>::kThreads, kPartsPerMultiprocessor)
    decode_kernel(AttentionArgs args, DecodePlan plan) {
  extern __shared__ __align__(1024) uint4 memory[];
  const int part = static_cast<int>(blockIdx.x);
  if (plan.parts[part].parts == 0) {
    wait_for_kernel_ahead();
    return;
  }
  DecodeBlock<kDtype, kDim, kHeadTiles, kIsFull>{args, plan, reinterpret_cast<std::byte*>(memory), part}
      .run();
}

}  // namespace pitwall::cuda
