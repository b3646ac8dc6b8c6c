// SPDX-License-Identifier: GPL-3.0-or-later
// Decode attention of one KV format; decode_attention.cu picks it. A block of threads computes one part of
// the plan, piece after piece. Its warps take turns at tiles of 16 tokens, each with its own ring of tiles in
// shared memory and its own softmax; they are merged at the end of a piece. Bytes are widened to float16
// between shared memory and MMA: ldmatrix hands a lane four neighbouring numbers of a key, where 16-bit keys
// are two pairs eight apart, so q's columns are permuted the same way (permuted_word); a value's even and odd
// columns become different n-tiles (out_column).
#pragma once
#include "kernels/cuda/attention_tile.cuh"
#include "kernels/cuda/decode_plan.cuh"
#include "kernels/cuda/launch.cuh"

namespace pitwall::cuda {

template <KvDtype kDtype, int kDim>
struct DecodeTraits : KvNumbers<kDtype> {
  using Numbers = KvNumbers<kDtype>;
  static constexpr int kWarps = kDim > 128 ? 2 : 4;
  static constexpr int kThreads = kWarps * kLanes;
  static constexpr int kChunks = kDim * Numbers::kBytes / 16;  ///< of a token's keys
  static constexpr int kHalfTile = kTileTokens * kDim * Numbers::kBytes;
  static constexpr int kRingBytes = 64 * 1024;  ///< of all warps; three blocks fit a multiprocessor of sm_90
  static constexpr int kStages = kRingBytes / (kWarps * 2 * kHalfTile);
  static constexpr int kQueryChunks = kDim / 8;
  static constexpr int kQueryBytes = kHeadRows * kDim * 2;
  static constexpr int kScaleBytes = Numbers::kHasTokenScales ? 2 * kTileTokens * 4 : 0;  ///< of a tile
  static constexpr int kSharedBytes = kRingBytes + kQueryBytes + kWarps * kStages * kScaleBytes;
  static constexpr int kSteps = kDim / 16;
  static constexpr bool kKeepsQuery = kDim <= 128;  ///< in registers
  static constexpr int kOutTiles = kDim / 8;
};

/// Column of out[n][j], j = 0 or 1, in lane t of a quad.
template <bool kIsByte>
__device__ inline int out_column(int n, int j, int t) {
  return kIsByte ? 16 * (n / 2) + 4 * t + 2 * j + n % 2 : 8 * n + 2 * t + j;
}
/// Where the pair of columns 2·word of a group of 16 lies.
template <bool kIsByte>
__device__ inline int permuted_word(int word) {
  return kIsByte ? word % 2 * 4 + word / 2 : word;
}

/// kIsFull: heads have kDim numbers, which spares the loops their tests.
template <KvDtype kDtype, int kDim, bool kIsFull>
struct DecodeBlock {
  using Traits = DecodeTraits<kDtype, kDim>;
  static constexpr bool kIsByte = Traits::kIsByte, kIsHalf = Traits::kIsHalf;

  const AttentionArgs& args;
  const DecodePlan& plan;
  std::byte* shared;
  int part;
  int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  int group = args.heads / args.kv.kv_heads;

  __device__ int padded_dim() const { return kIsFull ? kDim : args.kv.padded_dim; }
  __device__ int steps() const { return padded_dim() / 16; }  ///< of 16 columns

  __device__ std::byte* query() const { return shared + Traits::kRingBytes; }
  __device__ std::byte* stage(int s) const {
    return shared + (warp * Traits::kStages + s) * (2 * Traits::kHalfTile);
  }
  __device__ std::byte* stage_scales(int s) const {
    return shared + Traits::kRingBytes + Traits::kQueryBytes +
           (warp * Traits::kStages + s) * Traits::kScaleBytes;
  }

  /// The tiles of a piece that this warp takes: `count` of them, kWarps apart.
  struct Tiles {
    const std::int32_t* table;
    VisibleTokens tokens;
    int head, position, count;
    int ids = 0, next_ids = 0;  ///< block of tile 32·n + lane; of the 32 after those
    __device__ int position_of(int tile) const { return position + tile * Traits::kWarps * kTileTokens; }
  };
  __device__ int load_id(const Tiles& tiles, int tile) const {
    return tile < tiles.count ? tiles.table[tiles.position_of(tile) / args.kv.block_size] : 0;
  }
  __device__ Tiles tiles_of(const PlannedRow& row, const Piece& piece) const {
    const int begin = row.tokens.base() + piece.first * kUnitTokens;
    const int end = min(row.tokens.base() + piece.end * kUnitTokens, row.tokens.end);
    Tiles tiles{args.step.block_tables + std::int64_t{row.slot} * args.step.max_blocks, row.tokens,
                piece.head, begin + warp * kTileTokens, 0};
    constexpr int kTurn = Traits::kWarps * kTileTokens;
    tiles.count = max(0, (end - tiles.position + kTurn - 1) / kTurn);
    tiles.ids = load_id(tiles, lane);
    tiles.next_ids = load_id(tiles, kLanes + lane);
    return tiles;
  }

  /// Starts the copy of a tile; tokens that the row does not see become zeros.
  __device__ void fetch(Tiles& tiles, int tile) const {
    if (tile < tiles.count) {
      if (tile > 0 && tile % kLanes == 0) {
        tiles.ids = tiles.next_ids;
        tiles.next_ids = load_id(tiles, tile + kLanes + lane);
      }
      const KvView& kv = args.kv;
      const std::int64_t block = __shfl_sync(0xFFFFFFFFu, tiles.ids, tile % kLanes);
      const int position = tiles.position_of(tile);
      const std::int64_t line =
          (2 * block * kv.kv_heads + tiles.head) * kv.block_size + position % kv.block_size;
      const std::int64_t to_values = std::int64_t{kv.kv_heads} * kv.block_size;  // in lines
      const int line_bytes = padded_dim() * Traits::kBytes;
      const std::byte* keys = kv.numbers + line * line_bytes;
      const std::byte* values = keys + to_values * line_bytes;
      const std::uint32_t to = shared_address(stage(tile % Traits::kStages));
#pragma unroll
      for (int i = 0; i < kTileTokens * Traits::kChunks / kLanes; ++i) {
        const int index = lane + i * kLanes;
        const int token = index / Traits::kChunks, chunk = index % Traits::kChunks;
        if (chunk * 16 >= line_bytes) continue;
        const int at = position + token;
        const int bytes = at >= tiles.tokens.first && at < tiles.tokens.end ? 16 : 0;
        const std::uint32_t place = to + chunk_offset<Traits::kChunks>(token, chunk);
        copy_async_16(place, keys + token * line_bytes + chunk * 16, bytes);
        copy_async_16(place + Traits::kHalfTile, values + token * line_bytes + chunk * 16, bytes);
      }
      if constexpr (Traits::kHasTokenScales) {
        if (lane < 8) {
          const float* from = kv.token_scales + line + (lane < 4 ? 0 : to_values) + lane % 4 * 4;
          copy_async_16(shared_address(stage_scales(tile % Traits::kStages)) + lane * 16, from);
        }
      }
    }
    copy_async_commit();
  }

  /// q rows [first_row, first_row + 16) of the kv head's group into shared memory, zeros beyond the group.
  __device__ void load_query(const PlannedRow& row, int head, int first_row) const {
    const bf16* from = args.q.data + std::int64_t{row.row} * args.q.stride;
    const int dim = args.kv.head_dim;
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(args.q.data) % 16 == 0 && args.q.stride % 8 == 0 && dim % 8 == 0;
    for (int i = static_cast<int>(threadIdx.x); i < kHeadRows * Traits::kQueryChunks; i += Traits::kThreads) {
      const int r = i / Traits::kQueryChunks, chunk = i % Traits::kQueryChunks;
      const int count = first_row + r < group ? dim - chunk * 8 : 0;
      const uint4 eight =
          load_eight(from + (head * group + first_row + r) * dim + chunk * 8, count, is_aligned);
      const std::uint32_t words[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        const int word = permuted_word<kIsByte>(chunk % 2 * 4 + w);
        std::byte* to = query() + chunk_offset<Traits::kQueryChunks>(r, chunk / 2 * 2 + word / 4);
        reinterpret_cast<std::uint32_t*>(to)[word % 4] = as_factor<kIsHalf>(words[w]);
      }
    }
  }

  struct Query {
    std::uint32_t kept[Traits::kKeepsQuery ? Traits::kSteps : 1][4];
  };
  __device__ void query_fragment(std::uint32_t (&out)[4], const Query& q, int step) const {
    if constexpr (Traits::kKeepsQuery) {
      for (int i = 0; i < 4; ++i) out[i] = q.kept[step][i];
    } else {
      TileReader<Traits::kQueryChunks>::rows(shared_address(query())).load(out, 0, step);
    }
  }

  /// scores = q·kᵀ of the tile's 16 tokens.
  __device__ void score(float (&scores)[2][4], const Query& q, std::uint32_t keys) const {
    std::uint32_t a[4], b[4];
    if constexpr (kIsByte) {
      const auto reader = TileReader<Traits::kChunks>::rows(keys);
#pragma unroll
      for (int pair = 0; pair < Traits::kSteps / 2; ++pair) {
        if (2 * pair >= steps()) break;
        reader.load(b, 0, pair);
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          if (2 * pair + side >= steps()) break;
          query_fragment(a, q, 2 * pair + side);
#pragma unroll
          for (int n = 0; n < 2; ++n) {
            std::uint32_t b0, b1;
            widen<kDtype>(b[2 * side + n], b0, b1);
            multiply<kIsHalf>(scores[n], a, b0, b1);
          }
        }
      }
    } else {
      const auto reader = TileReader<Traits::kChunks>::keys(keys);
#pragma unroll
      for (int step = 0; step < Traits::kSteps; ++step) {
        if (step >= steps()) break;
        reader.load(b, 0, step);
        query_fragment(a, q, step);
        multiply<kIsHalf>(scores[0], a, b[0], b[1]);
        multiply<kIsHalf>(scores[1], a, b[2], b[3]);
      }
    }
  }

  /// out += p·v of the tile's 16 tokens.
  __device__ void gather(float (&out)[Traits::kOutTiles][4], const std::uint32_t (&p)[4],
                         std::uint32_t values) const {
    const auto reader = TileReader<Traits::kChunks>::rows(values);
    std::uint32_t b[4];
    if constexpr (kIsByte) {
#pragma unroll
      for (int pair = 0; pair < Traits::kSteps / 2; ++pair) {
        if (2 * pair >= steps()) break;
        reader.load_transposed(b, 0, pair);
#pragma unroll
        for (int side = 0; side < 2; ++side) {
          const int chunk = 2 * pair + side;
          if (chunk >= steps()) break;
          std::uint32_t even[2], odd[2];
#pragma unroll
          for (int half = 0; half < 2; ++half)  // tokens 2t and 2t + 1 of an even column, then of an odd one
            widen<kDtype>(__byte_perm(b[2 * side + half], 0, 0x3120), even[half], odd[half]);
          multiply<kIsHalf>(out[2 * chunk], p, even[0], even[1]);
          multiply<kIsHalf>(out[2 * chunk + 1], p, odd[0], odd[1]);
        }
      }
    } else {
#pragma unroll
      for (int step = 0; step < Traits::kSteps; ++step) {
        if (step >= steps()) break;
        reader.load_transposed(b, 0, step);
        multiply<kIsHalf>(out[2 * step], p, b[0], b[1]);
        multiply<kIsHalf>(out[2 * step + 1], p, b[2], b[3]);
      }
    }
  }

  /// One tile of this warp's ring.
  __device__ void take_tile(const Tiles& tiles, int tile, const Query& q, const ScoreRule& rule,
                            RowSums& rows, float (&out)[Traits::kOutTiles][4]) const {
    const int s = tile % Traits::kStages, t = lane % 4;
    const std::uint32_t keys = shared_address(stage(s));
    float scores[2][4] = {};
    score(scores, q, keys);
    const float* scales = reinterpret_cast<const float*>(stage_scales(s));
    const int position = tiles.position_of(tile);
    const bool is_edge = position < tiles.tokens.first || position + kTileTokens > tiles.tokens.end;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int token = 8 * n + 2 * t + j % 2;
        if constexpr (Traits::kHasTokenScales) scores[n][j] *= scales[token];
        if (rule.cap_in != 0) scores[n][j] = rule.capped(scores[n][j]);
        const int at = position + token;
        if (is_edge && (at < tiles.tokens.first || at >= tiles.tokens.end)) scores[n][j] = -kInfinity;
      }
    }
    soften(scores, rows, out, rule.factor);
    if constexpr (Traits::kHasTokenScales) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          // Scales of tokens that nobody wrote may be anything.
          const float scale = scales[kTileTokens + 8 * n + 2 * t + j % 2] * kInt8Lift;
          scores[n][j] = scores[n][j] > 0 ? scores[n][j] * scale : 0;
        }
      }
    }
    std::uint32_t p[4];
    pack_powers<kIsHalf>(p, scores[0], scores[1]);
    gather(out, p, keys + Traits::kHalfTile);
  }

  /// What turns a finished sum into the output of a kv head.
  __device__ float out_scale(int head) const {
    if constexpr (kDtype == KvDtype::fp8_e4m3) return args.kv.v_scales ? args.kv.v_scales[head] : 1;
    return Traits::kHasTokenScales ? 1 / kInt8Lift : 1;
  }
  __device__ void write_out(const PlannedRow& row, int head, int group_row, int column, float sum,
                            float total) const {
    args.out.data[std::int64_t{row.row} * args.out.stride + (head * group + group_row) * args.kv.head_dim +
                  column] = __float2bfloat16_rn(total > 0 ? sum / total * out_scale(head) : 0.0f);
  }
  __device__ float* partial(int place, int group_row) const {
    return plan.partials + (std::int64_t{place} * group + group_row) * (args.kv.head_dim + 2);
  }

  /// The warps' results, from the first to the last, into `out` or into this part's partial result. The ring
  /// must have drained; its memory is used.
  __device__ void merge_warps(const PlannedRow& row, const Piece& piece, int first_row, RowSums& rows,
                              const float (&out)[Traits::kOutTiles][4], float factor) const {
    float* sums = reinterpret_cast<float*>(shared);           // [warp][row][kDim]
    float* heads = sums + Traits::kWarps * kHeadRows * kDim;  // [warp][row]: largest, sum
    static_assert(Traits::kWarps * kHeadRows * (kDim + 2) * 4 <= Traits::kRingBytes);
    const int count = min(kHeadRows, group - first_row);
    const int g = lane / 4, t = lane % 4;
    finish_sums(rows);
    __syncthreads();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int r = g + 8 * half;
      if (r >= count) continue;
      float* to = sums + (warp * kHeadRows + r) * kDim;
#pragma unroll
      for (int n = 0; n < Traits::kOutTiles; ++n) {
#pragma unroll
        for (int j = 0; j < 2; ++j) to[out_column<kIsByte>(n, j, t)] = out[n][2 * half + j];
      }
      if (t == 0) {
        heads[2 * (warp * kHeadRows + r)] = rows.largest[half] * factor;
        heads[2 * (warp * kHeadRows + r) + 1] = rows.sum[half];
      }
    }
    __syncthreads();
    const int dim = args.kv.head_dim;
    const int place = partial_place(part, piece.first_part);
    for (int i = static_cast<int>(threadIdx.x); i < count * kDim; i += Traits::kThreads) {
      const int r = i / kDim, column = i % kDim;
      if (column >= dim) continue;
      float largest = -kInfinity, total = 0, sum = 0;
#pragma unroll
      for (int w = 0; w < Traits::kWarps; ++w) largest = fmaxf(largest, heads[2 * (w * kHeadRows + r)]);
      const float base = largest == -kInfinity ? 0 : largest;
#pragma unroll
      for (int w = 0; w < Traits::kWarps; ++w) {
        const float weight = power_of_two(heads[2 * (w * kHeadRows + r)] - base);
        total += weight * heads[2 * (w * kHeadRows + r) + 1];
        sum += weight * sums[(w * kHeadRows + r) * kDim + column];
      }
      if (piece.is_whole()) {
        write_out(row, piece.head, first_row + r, column, sum, total);
        continue;
      }
      float* to = partial(place, first_row + r);
      to[2 + column] = sum;
      if (column == 0) {
        to[0] = largest;
        to[1] = total;
      }
    }
    __syncthreads();
  }

  /// Whether this block finished the last piece of the pair.
  __device__ bool is_last(const Piece& piece) const {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      last = atomicAdd(plan.arrived + piece.first_part, 1) == piece.parts - 1;
      if (last) plan.arrived[piece.first_part] = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
  }

  /// The partial results of all parts, from the first to the last, into `out`.
  __device__ void merge_parts(const PlannedRow& row, const Piece& piece) const {
    __shared__ float totals[kHeadRows];
    auto* weights = reinterpret_cast<float*>(shared);  // [row][parts]
    static_assert(kHeadRows * kMostParts * 4 <= Traits::kRingBytes);
    const int dim = args.kv.head_dim;
    const auto place = [&](int p) { return partial_place(piece.first_part + p, piece.first_part); };
    for (int first_row = 0; first_row < group; first_row += kHeadRows) {
      const int count = min(kHeadRows, group - first_row);
      for (int r = warp; r < count; r += Traits::kWarps) {
        float largest = -kInfinity, total = 0;
        for (int p = lane; p < piece.parts; p += kLanes)
          largest = fmaxf(largest, __ldcg(partial(place(p), first_row + r)));
        largest = warp_max(largest);
        const float base = largest == -kInfinity ? 0 : largest;
        for (int p = lane; p < piece.parts; p += kLanes) {
          const float* from = partial(place(p), first_row + r);
          const float weight = power_of_two(__ldcg(from) - base);
          weights[r * piece.parts + p] = weight;
          total += weight * __ldcg(from + 1);
        }
        total = warp_sum(total);
        if (lane == 0) totals[r] = total;
      }
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < count * kDim; i += Traits::kThreads) {
        const int r = i / kDim, column = i % kDim;
        if (column >= dim) continue;
        float sum = 0;
#pragma unroll 8
        for (int p = 0; p < piece.parts; ++p)
          sum += weights[r * piece.parts + p] * __ldcg(partial(place(p), first_row + r) + 2 + column);
        write_out(row, piece.head, first_row + r, column, sum, totals[r]);
      }
      __syncthreads();
    }
  }

  __device__ void take_piece(const PlannedRow& row, const Piece& piece) const {
    float scale = args.scale;
    if constexpr (kDtype == KvDtype::fp8_e4m3) scale *= args.kv.k_scales ? args.kv.k_scales[piece.head] : 1;
    const ScoreRule rule(scale, args.softcap);
    for (int first_row = 0; first_row < group; first_row += kHeadRows) {
      Tiles tiles = tiles_of(row, piece);
      for (int s = 0; s < Traits::kStages - 1; ++s) fetch(tiles, s);
      load_query(row, piece.head, first_row);
      __syncthreads();
      Query q;
      if constexpr (Traits::kKeepsQuery) {
#pragma unroll
        for (int step = 0; step < Traits::kSteps; ++step)
          TileReader<Traits::kQueryChunks>::rows(shared_address(query())).load(q.kept[step], 0, step);
      }
      RowSums rows;
      float out[Traits::kOutTiles][4] = {};
      for (int tile = 0; tile < tiles.count; ++tile) {
        copy_async_wait<Traits::kStages - 2>();
        __syncwarp();  // the tile is there for all lanes, and all are done with the one before
        fetch(tiles, tile + Traits::kStages - 1);
        take_tile(tiles, tile, q, rule, rows, out);
      }
      copy_async_wait<0>();
      merge_warps(row, piece, first_row, rows, out, rule.factor);
    }
    if (!piece.is_whole() && is_last(piece)) merge_parts(row, piece);
  }
};

template <KvDtype kDtype, int kDim, bool kIsFull>
__global__ void __launch_bounds__(DecodeTraits<kDtype, kDim>::kThreads, kPartsPerMultiprocessor)
    decode_kernel(AttentionArgs args, DecodePlan plan) {
  extern __shared__ __align__(1024) uint4 memory[];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const int part = static_cast<int>(blockIdx.x);
  const PlannedPart start = plan.parts[part];
  if (std::int64_t{part} * start.share >= start.total) return;
  const DecodeBlock<kDtype, kDim, kIsFull> block{args, plan, reinterpret_cast<std::byte*>(memory), part};
  PlannedRow row = start.row;
  int index = start.index;
  int at = part * start.share;
  const int end = start.total - at < start.share ? start.total : at + start.share;
  while (true) {
    const Piece piece = piece_at(row, at, end, start.share);
    block.take_piece(row, piece);
    at += piece.end - piece.first;
    if (at >= end) break;
    if (at == row.begin + row.tokens.units() * args.kv.kv_heads) row = plan.rows[++index];
  }
}

/// A launch of one format; each is compiled in a file of its own.
template <KvDtype kDtype>
void launch_decode(const AttentionArgs& args, const DecodePlan& plan, int parts, cudaStream_t stream);

template <KvDtype kDtype, int kDim>
void launch_decode_dim(const AttentionArgs& args, const DecodePlan& plan, int parts, cudaStream_t stream) {
  using Traits = DecodeTraits<kDtype, kDim>;
  const auto kernel =
      args.kv.padded_dim == kDim ? decode_kernel<kDtype, kDim, true> : decode_kernel<kDtype, kDim, false>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
  launch(kernel, dim3(static_cast<unsigned>(parts)), dim3(Traits::kThreads), Traits::kSharedBytes, stream,
         args, plan);
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
