// SPDX-License-Identifier: GPL-3.0-or-later
// Prefill attention of one KV format; prefill_attention.cu picks it. A block of threads takes a tile of rows
// of one kv head, where a segment's rows and the heads of the group are packed: packed row i is token
// i / group, head i % group. Keys come in tiles, two of them in flight; bytes are widened to float16 once a
// tile. The segment's own keys are in the blocks already.
#pragma once
#include "kernels/cuda/attention_tile.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/row_tile.cuh"

namespace pitwall::cuda {

template <KvDtype kDtype, int kDim>
struct PrefillTraits : KvNumbers<kDtype> {
  using Numbers = KvNumbers<kDtype>;
  static constexpr int kWarps = 4, kThreads = kWarps * kLanes;
  static constexpr int kRowTiles = kDim > 128 ? 1 : 2;  ///< MMA rows of a warp, in 16s
  static constexpr int kRows = kWarps * kRowTiles * 16;
  static constexpr int kKeys = kDim > 128 ? 32 : 64;
  static constexpr int kSteps = kDim / 16, kOutTiles = kDim / 8, kScoreTiles = kKeys / 8;
  static constexpr int kChunks = kDim / 8;                           ///< of a row of 16-bit numbers
  static constexpr int kStoredChunks = kDim * Numbers::kBytes / 16;  ///< of a token as stored
  static constexpr int kQueryBytes = kRows * kDim * 2;
  static constexpr int kWideBytes = kKeys * kDim * 2;                  ///< keys of a tile as multiplied
  static constexpr int kStoredBytes = kKeys * kDim * Numbers::kBytes;  ///< … as stored
  static constexpr int kStages = 2;
  static constexpr int kScaleBytes = Numbers::kHasTokenScales ? 2 * kKeys * 4 : 0;
  /// q; for bytes a widened tile; the stages; their scales.
  static constexpr int kStagesAt = kQueryBytes + (Numbers::kIsByte ? 2 * kWideBytes : 0);
  static constexpr int kScalesAt = kStagesAt + kStages * 2 * kStoredBytes;
  static constexpr int kSharedBytes = kScalesAt + kStages * kScaleBytes;
};

template <KvDtype kDtype, int kDim, bool kIsFull>
struct PrefillBlock {
  using Traits = PrefillTraits<kDtype, kDim>;
  static constexpr bool kIsByte = Traits::kIsByte, kIsHalf = Traits::kIsHalf;
  using Scores = float[Traits::kRowTiles][Traits::kScoreTiles][4];
  using Out = float[Traits::kRowTiles][Traits::kOutTiles][4];

  const AttentionArgs& args;
  std::byte* shared;
  int head;  ///< of K and V
  int lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  int group = args.heads / args.kv.kv_heads;

  __device__ int padded_dim() const { return kIsFull ? kDim : args.kv.padded_dim; }
  __device__ int steps() const { return padded_dim() / 16; }  ///< of 16 columns
  __device__ std::byte* stage(int tile) const {
    return shared + Traits::kStagesAt + tile % Traits::kStages * 2 * Traits::kStoredBytes;
  }
  __device__ float* stage_scales(int tile) const {
    return reinterpret_cast<float*>(shared + Traits::kScalesAt +
                                    tile % Traits::kStages * Traits::kScaleBytes);
  }
  /// Keys as multiplied, values behind them.
  __device__ std::byte* wide_tile(int tile) const {
    return kIsByte ? shared + Traits::kQueryBytes : stage(tile);
  }

  __device__ int first_key(const RowTile& rows) const {
    return rows.keys_begin / Traits::kKeys * Traits::kKeys;
  }
  /// Blocks of a tile's tokens: lane n has that of tokens [16·n, 16·n + 16).
  __device__ int load_ids(const RowTile& rows, int tile) const {
    const int position = first_key(rows) + tile * Traits::kKeys + lane * 16;
    if (lane >= Traits::kKeys / 16 || position >= rows.keys_end || position + 16 <= rows.keys_begin) return 0;
    return args.step
        .block_tables[std::int64_t{rows.segment.slot} * args.step.max_blocks + position / args.kv.block_size];
  }

  /// Starts the copy of a tile of keys and values; tokens that no row of the tile sees become zeros.
  __device__ void fetch(const RowTile& rows, int tile, int ids) const {
    const KvView& kv = args.kv;
    const int line_bytes = padded_dim() * Traits::kBytes;
    const std::int64_t to_values = std::int64_t{kv.kv_heads} * kv.block_size;  // in lines
    const int first = first_key(rows) + tile * Traits::kKeys;
    const std::uint32_t to = shared_address(stage(tile));
    const auto line_of = [&](int token) {
      const std::int64_t block = __shfl_sync(0xFFFFFFFFu, ids, token / 16);
      return (2 * block * kv.kv_heads + head) * kv.block_size + (first + token) % kv.block_size;
    };
    const auto is_seen = [&](int token) {
      return first + token >= rows.keys_begin && first + token < rows.keys_end;
    };
#pragma unroll
    for (int i = 0; i < Traits::kKeys * Traits::kStoredChunks / Traits::kThreads; ++i) {
      const int index = static_cast<int>(threadIdx.x) + i * Traits::kThreads;
      const int token = index / Traits::kStoredChunks, chunk = index % Traits::kStoredChunks;
      const std::int64_t line = line_of(token);
      if (chunk * 16 >= line_bytes) continue;
      const std::byte* keys = kv.numbers + line * line_bytes + chunk * 16;
      const int bytes = is_seen(token) ? 16 : 0;
      const int place = kIsByte ? index * 16 : chunk_offset<Traits::kStoredChunks>(token, chunk);
      copy_async_16(to + place, keys, bytes);
      copy_async_16(to + Traits::kStoredBytes + place, keys + to_values * line_bytes, bytes);
    }
    if constexpr (Traits::kHasTokenScales) {
      if (warp == 0) {
        constexpr int kQuads = Traits::kKeys / 4;  // of scales, for keys and for values
        const int token = lane % kQuads * 4;
        const std::int64_t line = line_of(token);
        // A block whose tokens nobody sees has no scales to read.
        const bool is_used = first + token < rows.keys_end && first + token + 4 > rows.keys_begin;
        const int bytes = is_used ? 16 : 0;
        const std::uint32_t place = shared_address(stage_scales(tile)) + token * 4;
        if (lane < kQuads) {
          copy_async_16(place, kv.token_scales + line, bytes);
          copy_async_16(place + Traits::kKeys * 4, kv.token_scales + line + to_values, bytes);
        }
      }
    }
    copy_async_commit();
  }

  /// A tile of bytes as float16, where 16-bit tiles lie.
  __device__ void widen_tile(int tile) const {
    constexpr int kPieces = 2 * Traits::kKeys * Traits::kStoredChunks;  // keys, then values
    const std::byte* from = stage(tile);
    std::byte* to = wide_tile(tile);
#pragma unroll
    for (int i = 0; i < kPieces / Traits::kThreads; ++i) {
      const int index = static_cast<int>(threadIdx.x) + i * Traits::kThreads;
      const int row = index / Traits::kStoredChunks, chunk = index % Traits::kStoredChunks;
      if (chunk >= steps()) continue;
      const uint4 bytes = *reinterpret_cast<const uint4*>(from + index * 16);
      uint4 low, high;
      widen<kDtype>(bytes.x, low.x, low.y);
      widen<kDtype>(bytes.y, low.z, low.w);
      widen<kDtype>(bytes.z, high.x, high.y);
      widen<kDtype>(bytes.w, high.z, high.w);
      *reinterpret_cast<uint4*>(to + chunk_offset<Traits::kChunks>(row, 2 * chunk)) = low;
      *reinterpret_cast<uint4*>(to + chunk_offset<Traits::kChunks>(row, 2 * chunk + 1)) = high;
    }
  }

  __device__ void load_query(const RowTile& rows) const {
    const int dim = args.kv.head_dim;
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(args.q.data) % 16 == 0 && args.q.stride % 8 == 0 && dim % 8 == 0;
    for (int i = static_cast<int>(threadIdx.x); i < Traits::kRows * Traits::kChunks; i += Traits::kThreads) {
      const int r = i / Traits::kChunks, chunk = i % Traits::kChunks;
      const int packed = rows.first + r;
      const int count = packed < rows.total ? dim - chunk * 8 : 0;
      const std::int64_t row = rows.segment.first_row + packed / group;
      const bf16* from =
          args.q.data + row * args.q.stride + (head * group + packed % group) * dim + chunk * 8;
      *reinterpret_cast<uint4*>(shared + chunk_offset<Traits::kChunks>(r, chunk)) =
          load_eight(from, count, is_aligned);
    }
  }

  /// This lane's row g + 8·half of row tile m.
  __device__ int packed_row(const RowTile& rows, int m, int half) const {
    return rows.first + (warp * Traits::kRowTiles + m) * 16 + lane / 4 + 8 * half;
  }
  __device__ int position_of(const RowTile& rows, int packed) const {
    return rows.segment.first_position + min(packed, rows.total - 1) / group;
  }

  __device__ void score(Scores& scores, std::uint32_t query, std::uint32_t keys) const {
    const auto query_reader = TileReader<Traits::kChunks>::rows(query);
    const auto key_reader = TileReader<Traits::kChunks>::keys(keys);
#pragma unroll
    for (int step = 0; step < Traits::kSteps; ++step) {
      if (step >= steps()) break;
      std::uint32_t a[Traits::kRowTiles][4], b[4];
#pragma unroll
      for (int m = 0; m < Traits::kRowTiles; ++m)
        query_reader.load(a[m], (warp * Traits::kRowTiles + m) * 16, step);
#pragma unroll
      for (int n = 0; n < Traits::kScoreTiles; n += 2) {
        key_reader.load(b, 8 * n, step);
#pragma unroll
        for (int m = 0; m < Traits::kRowTiles; ++m) {
          multiply<kIsHalf>(scores[m][n], a[m], b[0], b[1]);
          multiply<kIsHalf>(scores[m][n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  /// Token scales, cap and mask.
  __device__ void finish_scores(Scores& scores, const RowTile& rows, int tile, const ScoreRule& rule) const {
    const int first = first_key(rows) + tile * Traits::kKeys, t = lane % 4;
    if (Traits::kHasTokenScales || rule.cap_in != 0) {
      const float* scales = stage_scales(tile);
#pragma unroll
      for (int m = 0; m < Traits::kRowTiles; ++m) {
#pragma unroll
        for (int n = 0; n < Traits::kScoreTiles; ++n) {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            if constexpr (Traits::kHasTokenScales) scores[m][n][j] *= scales[8 * n + 2 * t + j % 2];
            if (rule.cap_in != 0) scores[m][n][j] = rule.capped(scores[m][n][j]);
          }
        }
      }
    }
    const bool is_edge = first + Traits::kKeys - 1 > rows.first_position ||
                         (args.window > 0 && first <= rows.last_position - args.window);
    if (!is_edge) return;
#pragma unroll
    for (int m = 0; m < Traits::kRowTiles; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int last = position_of(rows, packed_row(rows, m, half));
        const int before = args.window > 0 ? last - args.window : -1;
#pragma unroll
        for (int n = 0; n < Traits::kScoreTiles; ++n) {
#pragma unroll
          for (int j = 0; j < 2; ++j) {
            const int at = first + 8 * n + 2 * t + j;
            if (at > last || at <= before) scores[m][n][2 * half + j] = -kInfinity;
          }
        }
      }
    }
  }

  __device__ void gather(Out& out, const Scores& scores, std::uint32_t values) const {
    const auto reader = TileReader<Traits::kChunks>::rows(values);
#pragma unroll
    for (int n = 0; n < Traits::kScoreTiles; n += 2) {
      std::uint32_t p[Traits::kRowTiles][4], b[4];
#pragma unroll
      for (int m = 0; m < Traits::kRowTiles; ++m) pack_powers<kIsHalf>(p[m], scores[m][n], scores[m][n + 1]);
#pragma unroll
      for (int step = 0; step < Traits::kSteps; ++step) {
        if (step >= steps()) break;
        reader.load_transposed(b, 8 * n, step);
#pragma unroll
        for (int m = 0; m < Traits::kRowTiles; ++m) {
          multiply<kIsHalf>(out[m][2 * step], p[m], b[0], b[1]);
          multiply<kIsHalf>(out[m][2 * step + 1], p[m], b[2], b[3]);
        }
      }
    }
  }

  __device__ void take_tile(const RowTile& rows, int tile, const ScoreRule& rule,
                            RowSums (&sums)[Traits::kRowTiles], Out& out) const {
    const std::uint32_t keys = shared_address(wide_tile(tile));
    Scores scores = {};
    score(scores, shared_address(shared), keys);
    finish_scores(scores, rows, tile, rule);
#pragma unroll
    for (int m = 0; m < Traits::kRowTiles; ++m) soften(scores[m], sums[m], out[m], rule.factor);
    if constexpr (Traits::kHasTokenScales) {
      const float* scales = stage_scales(tile) + Traits::kKeys;
#pragma unroll
      for (int m = 0; m < Traits::kRowTiles; ++m) {
#pragma unroll
        for (int n = 0; n < Traits::kScoreTiles; ++n) {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            // Scales of tokens that nobody wrote may be anything.
            const float scale = scales[8 * n + 2 * (lane % 4) + j % 2] * kInt8Lift;
            scores[m][n][j] = scores[m][n][j] > 0 ? scores[m][n][j] * scale : 0;
          }
        }
      }
    }
    gather(out, scores, keys + Traits::kWideBytes);
  }

  __device__ void write_out(const RowTile& rows, RowSums (&sums)[Traits::kRowTiles], const Out& out) const {
    const int dim = args.kv.head_dim;
    float scale = Traits::kHasTokenScales ? 1 / kInt8Lift : 1;
    if constexpr (kDtype == KvDtype::fp8_e4m3) scale = args.kv.v_scales ? args.kv.v_scales[head] : 1;
#pragma unroll
    for (int m = 0; m < Traits::kRowTiles; ++m) {
      finish_sums(sums[m]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int packed = packed_row(rows, m, half);
        if (packed >= rows.total) continue;
        const std::int64_t row = rows.segment.first_row + packed / group;
        bf16* to = args.out.data + row * args.out.stride + (head * group + packed % group) * dim;
        const float factor = scale / sums[m].sum[half];  // a row sees itself, so that the sum is above 0
#pragma unroll
        for (int n = 0; n < Traits::kOutTiles; ++n) {
          const int column = 8 * n + 2 * (lane % 4);
          const float low = out[m][n][2 * half] * factor, high = out[m][n][2 * half + 1] * factor;
          if (column + 1 < dim && dim % 2 == 0) {
            *reinterpret_cast<std::uint32_t*>(to + column) = pack_16(args.out, low, high);
          } else {
            if (column < dim) put_16(args.out, to + column, low);
            if (column + 1 < dim) put_16(args.out, to + column + 1, high);
          }
        }
      }
    }
  }

  __device__ void run(int index, int segments) const {
    const RowTile rows = row_tile<Traits::kRows>(args, index, segments);
    const int count = (rows.keys_end - first_key(rows) + Traits::kKeys - 1) / Traits::kKeys;
    fetch(rows, 0, load_ids(rows, 0));
    int next_ids = load_ids(rows, 1);
    load_query(rows);
    float scale = args.scale;
    if constexpr (kDtype == KvDtype::fp8_e4m3) scale *= args.kv.k_scales ? args.kv.k_scales[head] : 1;
    const ScoreRule rule(scale, args.softcap);
    RowSums sums[Traits::kRowTiles];
    Out out = {};
    for (int tile = 0; tile < count; ++tile) {
      copy_async_wait<0>();
      __syncthreads();  // the tile is there for all, and all are done with the one before
      if (tile + 1 < count) {
        fetch(rows, tile + 1, next_ids);
        next_ids = load_ids(rows, tile + 2);
      }
      if constexpr (kIsByte) {
        widen_tile(tile);
        __syncthreads();
      }
      take_tile(rows, tile, rule, sums, out);
    }
    write_out(rows, sums, out);
  }
};

/// Grid: kv heads × tiles of all segments.
template <KvDtype kDtype, int kDim, bool kIsFull>
__global__ void __launch_bounds__(PrefillTraits<kDtype, kDim>::kThreads, 2)
    prefill_kernel(AttentionArgs args, int segments) {
  extern __shared__ __align__(1024) uint4 memory[];
  wait_for_kernel_ahead();
  let_next_kernel_start();
  const PrefillBlock<kDtype, kDim, kIsFull> block{args, reinterpret_cast<std::byte*>(memory),
                                                  static_cast<int>(blockIdx.x)};
  block.run(static_cast<int>(blockIdx.y), segments);
}

/// A launch of one format; each is compiled in a file of its own. `segments` in host memory.
template <KvDtype kDtype>
void launch_prefill(const AttentionArgs& args, const Segment* segments, int count, cudaStream_t stream);

template <KvDtype kDtype, int kDim>
void launch_prefill_dim(const AttentionArgs& args, const Segment* segments, int count, cudaStream_t stream) {
  using Traits = PrefillTraits<kDtype, kDim>;
  const int tiles = count_row_tiles<Traits::kRows>(args, segments, count);
  const auto kernel =
      args.kv.padded_dim == kDim ? prefill_kernel<kDtype, kDim, true> : prefill_kernel<kDtype, kDim, false>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
  launch(kernel, dim3(static_cast<unsigned>(args.kv.kv_heads), static_cast<unsigned>(tiles)),
         dim3(Traits::kThreads), Traits::kSharedBytes, stream, args, count);
}

}  // namespace pitwall::cuda

#define PITWALL_PREFILL_OF(dtype)                                                                        \
  namespace pitwall::cuda {                                                                              \
  template <>                                                                                            \
  void launch_prefill<dtype>(const AttentionArgs& args, const Segment* segments, int count,              \
                             cudaStream_t stream) {                                                      \
    if (args.kv.padded_dim <= 64) return launch_prefill_dim<dtype, 64>(args, segments, count, stream);   \
    if (args.kv.padded_dim <= 128) return launch_prefill_dim<dtype, 128>(args, segments, count, stream); \
    launch_prefill_dim<dtype, 256>(args, segments, count, stream);                                       \
  }                                                                                                      \
  }
