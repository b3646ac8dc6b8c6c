// SPDX-License-Identifier: GPL-3.0-or-later
// Decode attention of one KV format; decode_attention.cu picks it. A block of threads computes one part of
// the plan, piece after piece. Its warps take turns at tiles of 16 tokens, each with its own ring of tiles in
// shared memory and its own softmax; they are merged at the end of a piece. Copies run ahead over the pieces,
// and begin before the kernel ahead has ended (attention.h says what that one may write).
#pragma once
#include "kernels/cuda/decode_plan.cuh"
#include "kernels/cuda/decode_products.cuh"
#include "kernels/cuda/launch.cuh"

namespace pitwall::cuda {

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

  const AttentionArgs& args;
  const DecodePlan& plan;
  std::byte* shared;
  int part;
  int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  int group = args.heads / args.kv.kv_heads;
  Products products{args.kv.padded_dim};

  __device__ int padded_dim() const { return kIsFull ? kDim : args.kv.padded_dim; }

  __device__ std::byte* stage(int s) const {
    return shared + (warp * Traits::kStages + s) * (2 * Traits::kHalfTile);
  }
  __device__ std::byte* stage_scales(int s) const {
    return shared + Traits::kScalesAt + (warp * Traits::kStages + s) * Traits::kScaleBytes;
  }

  /// A piece of the part, and which of its group's heads are computed.
  struct Place {
    PlannedRow row;
    int index = 0, at = 0, end = 0;
    Cut cut;
    Piece piece;
    int first_row = 0;
  };
  __device__ Place first_place() const {
    const PlannedPart start = plan.parts[part];
    Place place{start.row, start.index, start.begin, start.end, start.cut, {}, 0};
    place.piece = piece_at(place.row, place.at, place.end, place.cut);
    return place;
  }
  /// Whether there is another.
  __device__ bool advance(Place& place) const {
    place.first_row += Traits::kHeads;
    if (place.first_row < group) return true;
    place.first_row = 0;
    place.at += place.piece.end - place.piece.first;
    if (place.at >= place.end) return false;
    if (place.at == place.row.begin + place.row.tokens.units() * args.kv.kv_heads)
      place.row = plan.rows[++place.index];
    place.piece = piece_at(place.row, place.at, place.end, place.cut);
    return true;
  }

  /// This warp's tiles of a piece: `count` of them, kWarps apart.
  struct Tiles {
    VisibleTokens tokens;
    int position = 0, count = 0;
    __device__ int position_of(int tile) const { return position + tile * Traits::kWarps * kTileTokens; }
  };
  __device__ Tiles tiles_of(const Place& place) const {
    Tiles tiles{place.row.tokens};
    const int base = tiles.tokens.base();
    const int end = min(base + place.piece.end * kUnitTokens, tiles.tokens.end);
    tiles.position = base + place.piece.first * kUnitTokens + warp * kTileTokens;
    constexpr int kTurn = Traits::kWarps * kTileTokens;
    tiles.count = max(0, (end - tiles.position + kTurn - 1) / kTurn);
    return tiles;
  }

  /// Runs ahead of what is computed, over the same tiles. Its place lies in shared memory.
  struct Fetcher {
    Tiles tiles;
    const std::int32_t* table = nullptr;
    int head = 0, tile = 0, turn = 0;
    bool is_done = false;
    int ids = 0, next_ids = 0;  ///< block of tile 32·n + lane; of the 32 after those
  };
  __device__ int load_id(const Fetcher& from, int tile) const {
    return tile < from.tiles.count ? from.table[from.tiles.position_of(tile) / args.kv.block_size] : 0;
  }
  __device__ void open_piece(Fetcher& from, const Place& place) const {
    from.tiles = tiles_of(place);
    from.table = args.step.block_tables + std::int64_t{place.row.slot} * args.step.max_blocks;
    from.head = place.piece.head;
    from.tile = 0;
    from.ids = load_id(from, lane);
    from.next_ids = load_id(from, kLanes + lane);
  }
  /// A warp's place in shared memory to the next one; whether there is one.
  __device__ bool advance_together(Place& place) const {
    __syncwarp();
    const bool goes_on = __any_sync(0xFFFFFFFFu, lane == 0 && advance(place));
    __syncwarp();
    return goes_on;
  }
  /// To a tile, or done.
  __device__ void settle(Fetcher& from, Place& place) const {
    while (from.tile == from.tiles.count && !from.is_done) {
      from.is_done = !advance_together(place);
      if (!from.is_done) open_piece(from, place);
    }
  }
  /// Whether the tile ahead was written before the kernel ahead began: all tokens but a row's last.
  __device__ bool is_old(const Fetcher& from) const {
    return !from.is_done && from.tiles.position_of(from.tile) + kTileTokens < from.tiles.tokens.end;
  }

  /// Starts the copy of the tile ahead; tokens that the row does not see become zeros.
  __device__ void fetch(Fetcher& from, Place& place_ahead) const {
    if (!from.is_done) {
      const int tile = from.tile;
      if (tile > 0 && tile % kLanes == 0) {
        from.ids = from.next_ids;
        from.next_ids = load_id(from, tile + kLanes + lane);
      }
      const KvView& kv = args.kv;
      const VisibleTokens tokens = from.tiles.tokens;
      const std::int64_t block = __shfl_sync(0xFFFFFFFFu, from.ids, tile % kLanes);
      const int position = from.tiles.position_of(tile);
      const std::int64_t line =
          (2 * block * kv.kv_heads + from.head) * kv.block_size + (position & (kv.block_size - 1));
      const std::int64_t to_values = std::int64_t{kv.kv_heads} * kv.block_size;  // in lines
      const int line_bytes = padded_dim() * Traits::kBytes;
      const std::byte* keys = kv.numbers + line * line_bytes;
      const std::byte* values = keys + to_values * line_bytes;
      const int s = from.turn % Traits::kStages;
      const std::uint32_t to = shared_address(stage(s));
#pragma unroll
      for (int i = 0; i < kTileTokens * Traits::kChunks / kLanes; ++i) {
        const int index = lane + i * kLanes;
        const int token = index / Traits::kChunks, chunk = index % Traits::kChunks;
        if (chunk * 16 >= line_bytes) continue;
        const int at = position + token;
        const int bytes = at >= tokens.first && at < tokens.end ? 16 : 0;
        const std::uint32_t place = to + chunk_offset<Traits::kChunks>(token, chunk);
        copy_async_16(place, keys + token * line_bytes + chunk * 16, bytes);
        copy_async_16(place + Traits::kHalfTile, values + token * line_bytes + chunk * 16, bytes);
      }
      if constexpr (Traits::kHasTokenScales) {
        if (lane < 8) {
          const float* scales = kv.token_scales + line + (lane < 4 ? 0 : to_values) + lane % 4 * 4;
          copy_async_16(shared_address(stage_scales(s)) + lane * 16, scales);
        }
      }
      ++from.tile;
      ++from.turn;
      settle(from, place_ahead);
    }
    copy_async_commit();
  }

  __device__ void load_query(Query& q, const Place& place) const {
    const int dim = args.kv.head_dim, first = place.piece.head * group + place.first_row;
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(args.q.data) % 4 == 0 && args.q.stride % 2 == 0 && dim % 2 == 0;
    products.load_query(q, args.q.data + std::int64_t{place.row.row} * args.q.stride + first * dim, dim,
                        group - place.first_row, is_aligned);
  }

  /// One tile of this warp's ring.
  __device__ void take_tile(const VisibleTokens& tokens, int position, int s, const Query& q,
                            const ScoreRule& rule, HeadSums& heads, Out& out) const {
    const int g = lane / 4;
    const std::uint32_t keys = shared_address(stage(s));
    Scores scores;
    products.score(scores, q, keys);
    const float* scales = reinterpret_cast<const float*>(stage_scales(s));
    const bool is_edge = position < tokens.first || position + kTileTokens > tokens.end;
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int token = g + j / 2 * 8;
        if constexpr (Traits::kHasTokenScales) scores[h][j] *= scales[token];
        if (rule.cap_in != 0) scores[h][j] = rule.capped(scores[h][j]);
        scores[h][j] *= rule.factor;
        const int at = position + token;
        if (is_edge && (at < tokens.first || at >= tokens.end)) scores[h][j] = -kInfinity;
      }
    }
    products.take_powers(scores, heads, out);
    std::uint32_t p[kHeadTiles][2];
#pragma unroll
    for (int h = 0; h < kHeadTiles; ++h) {
      if constexpr (Traits::kHasTokenScales) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          // Scales of tokens that nobody wrote may be anything.
          const float scale = scales[kTileTokens + g + j / 2 * 8] * kInt8Lift;
          scores[h][j] = scores[h][j] > 0 ? scores[h][j] * scale : 0;
        }
      }
      p[h][0] = transpose_matrix(pack<kIsHalf>(scores[h][0], scores[h][1]));
      p[h][1] = transpose_matrix(pack<kIsHalf>(scores[h][2], scores[h][3]));
    }
    products.gather(out, p, keys + Traits::kHalfTile);
  }

  /// What turns a finished sum into the output of a kv head.
  __device__ float out_scale(int head) const {
    if constexpr (kDtype == KvDtype::fp8_e4m3) return args.kv.v_scales ? args.kv.v_scales[head] : 1;
    return Traits::kHasTokenScales ? 1 / kInt8Lift : 1;
  }
  /// Four columns of a result.
  __device__ void write_out(int row, int head, int group_row, int column, float4 sum, float total) const {
    const int dim = args.kv.head_dim;
    bf16* to =
        args.out.data + std::int64_t{row} * args.out.stride + (head * group + group_row) * dim + column;
    const float factor = total > 0 ? out_scale(head) / total : 0;
    const float numbers[4] = {sum.x * factor, sum.y * factor, sum.z * factor, sum.w * factor};
    if (dim % 4 == 0) {
      if (column < dim)
        *reinterpret_cast<uint2*>(to) = {pack_bf16(numbers[0], numbers[1]),
                                         pack_bf16(numbers[2], numbers[3])};
      return;
    }
    for (int i = 0; i < 4; ++i) {
      if (column + i < dim) to[i] = __float2bfloat16_rn(numbers[i]);
    }
  }
  /// Partial results: largest and sum of a row, and its numbers.
  __device__ float2* partial_head(int place, int group_row) const {
    return reinterpret_cast<float2*>(plan.partials) + place * group + group_row;
  }
  __device__ float4* partial_numbers(int place, int group_row) const {
    const std::int64_t heads = 2 * std::int64_t{gridDim.x} * group;
    return reinterpret_cast<float4*>(plan.partials + 2 * heads +
                                     (std::int64_t{place} * group + group_row) * args.kv.padded_dim);
  }

  __device__ static void add_weighted(float4& sum, float weight, const float4& numbers) {
    sum.x += weight * numbers.x;
    sum.y += weight * numbers.y;
    sum.z += weight * numbers.z;
    sum.w += weight * numbers.w;
  }

  /// The warps' results, from the first to the last, into `out` or into this part's partial result.
  __device__ void merge_warps(int row, const Piece& piece, int first_row, HeadSums& heads,
                              const Out& out) const {
    auto* numbers = reinterpret_cast<float*>(shared + Traits::kMergeAt);  // [warp][row][columns + 4]
    auto* sums = reinterpret_cast<float2*>(shared + Traits::kHeadsAt);    // [warp][row]: base, sum
    const int count = min(Traits::kHeads, group - first_row);
    const int columns = min(kDim, (Traits::kMergeFloats / (Traits::kWarps * count) - 4) / 16 * 16);
    const int pitch = columns + 4;  // rows meet different banks
    const int g = lane / 4, t = lane % 4;
    const int to_place = partial_place(part, piece.first_part);
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
          write_out(row, piece.head, first_row + r, first + column, sum, total);
          continue;
        }
        partial_numbers(to_place, first_row + r)[(first + column) / 4] = sum;
        if (first + column == 0) *partial_head(to_place, first_row + r) = {largest, total};
      }
    }
  }

  /// The partial results of all parts, from the first to the last, into `out`. Many are asked for at once:
  /// they come from other multiprocessors, and each takes its time.
  __device__ void merge_parts(int row, const Piece& piece) const {
    constexpr int kAtOnce = 16;
    const int quads = padded_dim() / 4;
    for (int i = static_cast<int>(threadIdx.x); i < group * quads; i += Traits::kThreads) {
      const int r = i / quads, quad = i % quads;
      float4 sum{0, 0, 0, 0};
      float largest = -kInfinity, total = 0;
      for (int first = 0; first < piece.parts; first += kAtOnce) {
        float2 heads[kAtOnce];
        float4 numbers[kAtOnce];
#pragma unroll
        for (int p = 0; p < kAtOnce; ++p) {
          heads[p] = {-kInfinity, 0};
          numbers[p] = {0, 0, 0, 0};
          if (first + p < piece.parts) {
            const int place = partial_place(piece.first_part + first + p, piece.first_part);
            heads[p] = __ldcg(partial_head(place, r));
            numbers[p] = __ldcg(partial_numbers(place, r) + quad);
          }
        }
        const float before = largest;
#pragma unroll
        for (int p = 0; p < kAtOnce; ++p) largest = fmaxf(largest, heads[p].x);
        const float base = largest == -kInfinity ? 0 : largest;
        const float shrink = power_of_two(before - base);
        total *= shrink;
        sum = {sum.x * shrink, sum.y * shrink, sum.z * shrink, sum.w * shrink};
#pragma unroll
        for (int p = 0; p < kAtOnce; ++p) {
          const float weight = power_of_two(heads[p].x - base);
          total += weight * heads[p].y;
          add_weighted(sum, weight, numbers[p]);
        }
      }
      write_out(row, piece.head, r, 4 * quad, sum, total);
    }
  }

  /// Pieces whose pair is spread over parts: the last block to finish one of a pair merges them.
  struct Open {
    int count, row[2];
    Piece piece[2];
    bool is_last[2];
  };

  __device__ void run() const {
    __shared__ Open open;
    __shared__ Place places[Traits::kWarps], places_ahead[Traits::kWarps];
    Place &here = places[warp], &place_ahead = places_ahead[warp];
    Fetcher ahead;
    {
      const Place first = first_place();
      if (lane == 0) here = place_ahead = first;
      __syncwarp();
      if (threadIdx.x == 0) open.count = 0;
      open_piece(ahead, first);
    }
    settle(ahead, place_ahead);
    int primed = 0;
    for (; primed < Traits::kStages && is_old(ahead); ++primed) fetch(ahead, place_ahead);
    wait_for_kernel_ahead();
    let_next_kernel_start();
    Query q;
    load_query(q, here);
    for (; primed < Traits::kStages; ++primed) fetch(ahead, place_ahead);
    int turn = 0;
    for (bool goes_on = true; goes_on;) {
      products.convert_query(q);
      const Piece piece = here.piece;
      const int row = here.row.row, first_row = here.first_row;
      float scale = args.scale;
      if constexpr (kDtype == KvDtype::fp8_e4m3) scale *= args.kv.k_scales ? args.kv.k_scales[piece.head] : 1;
      const ScoreRule rule(scale, args.softcap);
      const Tiles tiles = tiles_of(here);
      HeadSums heads;
      Out out = {};
      for (int tile = 0; tile < tiles.count; ++tile, ++turn) {
        copy_async_wait<Traits::kStages - 1>();
        __syncwarp();  // the tile is there for all lanes
        take_tile(tiles.tokens, tiles.position_of(tile), turn % Traits::kStages, q, rule, heads, out);
        __syncwarp();  // all are done with it
        fetch(ahead, place_ahead);
      }
      goes_on = advance_together(here);
      if (goes_on && kLoadsEarly) load_query(q, here);
      merge_warps(row, piece, first_row, heads, out);
      if (goes_on && !kLoadsEarly) load_query(q, here);
      if (threadIdx.x == 0 && !piece.is_whole() && first_row + Traits::kHeads >= group) {
        open.row[open.count] = row;
        open.piece[open.count++] = piece;
      }
    }
    __syncthreads();
    if (const int i = static_cast<int>(threadIdx.x); i < open.count) {
      std::int32_t* arrived = plan.arrived + open.piece[i].first_part;
      fence_device();
      open.is_last[i] = atomicAdd(arrived, 1) == open.piece[i].parts - 1;
      if (open.is_last[i]) *arrived = 0;
      fence_device();
    }
    __syncthreads();
    for (int i = 0; i < open.count; ++i) {
      if (open.is_last[i]) merge_parts(open.row[i], open.piece[i]);
    }
  }
};

template <KvDtype kDtype, int kDim, int kHeadTiles, bool kIsFull>
__global__ void __launch_bounds__(DecodeTraits<kDtype, kDim, kHeadTiles>::kThreads,
                                  DecodeTraits<kDtype, kDim, kHeadTiles>::kBlocks)
    decode_kernel(AttentionArgs args, DecodePlan plan) {
  extern __shared__ __align__(1024) uint4 memory[];
  const int part = static_cast<int>(blockIdx.x);
  if (plan.parts[part].begin >= plan.parts[part].end) {
    wait_for_kernel_ahead();
    return;
  }
  DecodeBlock<kDtype, kDim, kHeadTiles, kIsFull>{args, plan, reinterpret_cast<std::byte*>(memory), part}
      .run();
}

/// A launch of one format; each is compiled in a file of its own.
template <KvDtype kDtype>
void launch_decode(const AttentionArgs& args, const DecodePlan& plan, int parts, cudaStream_t stream);

/// kHasRoom of the device.
inline bool has_room() {
  int device = 0, bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return bytes > 128 * 1024;
}

template <KvDtype kDtype, int kDim, int kHeadTiles>
void launch_decode_heads(const AttentionArgs& args, const DecodePlan& plan, int parts, cudaStream_t stream) {
  using Traits = DecodeTraits<kDtype, kDim, kHeadTiles>;
  const auto kernel = args.kv.padded_dim == kDim ? decode_kernel<kDtype, kDim, kHeadTiles, true>
                                                 : decode_kernel<kDtype, kDim, kHeadTiles, false>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
  launch(kernel, dim3(static_cast<unsigned>(parts)), dim3(Traits::kThreads), Traits::shared_bytes(has_room()),
         stream, args, plan);
}
template <KvDtype kDtype, int kDim>
void launch_decode_dim(const AttentionArgs& args, const DecodePlan& plan, int parts, cudaStream_t stream) {
  // Sixteen heads of 256 numbers would not fit the registers.
  if constexpr (kDim <= 128) {
    if (args.heads > 8 * args.kv.kv_heads)
      return launch_decode_heads<kDtype, kDim, 2>(args, plan, parts, stream);
  }
  launch_decode_heads<kDtype, kDim, 1>(args, plan, parts, stream);
}

}  // namespace pitwall::cuda

#define PITWALL_DECODE_OF(dtype)                                                                    \
  namespace pitwall::cuda {                                                                         \
  template <>                                                                                       \
  void launch_decode<dtype>(const AttentionArgs& args, const DecodePlan& plan, int parts,           \
                            cudaStream_t stream) {                                                  \
    if (args.kv.padded_dim <= 64) return launch_decode_dim<dtype, 64>(args, plan, parts, stream);   \
    if (args.kv.padded_dim <= 128) return launch_decode_dim<dtype, 128>(args, plan, parts, stream); \
    launch_decode_dim<dtype, 256>(args, plan, parts, stream);                                       \
  }                                                                                                 \
  }
