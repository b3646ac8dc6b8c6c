// SPDX-License-Identifier: GPL-3.0-or-later
// A row's own token where decode attention does what rope_append does elsewhere (AttentionArgs::rope): q is
// turned as it lies in registers; k and v are written into their block and into the tile that was fetched
// without them. The same arithmetic as rope_append's, bit by bit.
#pragma once
#include "kernels/cuda/decode_products.cuh"

namespace pitwall::cuda {

/// Of the two halves of a head, neighbours that belong together.
struct HalfPairs {
  float2 low, high;
  __device__ static float2 widened(std::uint32_t pair) {
    return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
  }
  __device__ HalfPairs(std::uint32_t low_pair, std::uint32_t high_pair)
      : low(widened(low_pair)), high(widened(high_pair)) {}
  __device__ void turn(float2 cosine, float2 sine) {
    const float2 a = low, b = high;
    low = {fmaf(a.x, cosine.x, b.x * -sine.x), fmaf(a.y, cosine.y, b.y * -sine.y)};
    high = {fmaf(b.x, cosine.x, a.x * sine.x), fmaf(b.y, cosine.y, a.y * sine.y)};
  }
};

/// One lane's part: columns 2·lane and 2·lane + 1 of each half of k and v.
template <KvDtype kDtype, int kDim>
struct OwnToken {
  using Traits = DecodeTraits<kDtype, kDim, 1>;
  using Query = typename DecodeProducts<kDtype, kDim, 1, true>::Query;
  static constexpr int kHalf = kDim / 2, kHalfSteps = Traits::kSteps / 2;
  static constexpr float kLargestFp8 = 448;

  float2 cosines[kHalfSteps][2], sines[kHalfSteps][2];  ///< of the columns of q's first half, as q lies
  float2 cosine, sine;
  std::uint32_t keys[2], values[2];
  std::int32_t block = 0;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kLanes; }
  __device__ static int column() { return 2 * lane() % kHalf; }
  __device__ static const float* table_of(const AttentionArgs& args, const PlannedRow& row) {
    const bool is_long = args.rope.long_table != nullptr && args.step.long_rope[row.slot] != 0;
    return (is_long ? args.rope.long_table : args.rope.table) + std::int64_t{row.tokens.end - 1} * kDim;
  }
  __device__ static float2 load_two(const float* from) {
    return __ldg(reinterpret_cast<const float2*>(from));
  }

  /// What turns q of a row that sees something.
  __device__ void load_turn(const AttentionArgs& args, const PlannedRow& row) {
    const float* table = table_of(args, row);
#pragma unroll
    for (int step = 0; step < kHalfSteps; ++step) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float* from = table + 16 * step + query_column<Traits::kIsByte>(half, lane() % 4);
        cosines[step][half] = load_two(from);
        sines[step][half] = load_two(from + kHalf);
      }
    }
  }
  __device__ void turn(Query& q) const {
#pragma unroll
    for (int step = 0; step < kHalfSteps; ++step) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        auto &low = q.fragments[step][0][half], &high = q.fragments[step + kHalfSteps][0][half];
        HalfPairs pairs(low, high);
        pairs.turn(cosines[step][half], sines[step][half]);
        low = pack_bf16(pairs.low.x, pairs.low.y);
        high = pack_bf16(pairs.high.x, pairs.high.y);
      }
    }
  }

  /// k and v of a kv head.
  __device__ void load_token(const AttentionArgs& args, const PlannedRow& row, int head) {
    const float* table = table_of(args, row);
    cosine = load_two(table + column());
    sine = load_two(table + kHalf + column());
    block = args.step.block_tables[std::int64_t{row.slot} * args.step.max_blocks +
                                   (row.tokens.end - 1) / args.kv.block_size];
    const auto load = [&](std::uint32_t(&pairs)[2], const Rows16& rows) {
      const bf16* from = rows.data + std::int64_t{row.row} * rows.stride + head * kDim + column();
      pairs[0] = __ldcg(reinterpret_cast<const std::uint32_t*>(from));
      pairs[1] = __ldcg(reinterpret_cast<const std::uint32_t*>(from + kHalf));
    };
    load(keys, args.rope.k);
    load(values, args.rope.v);
  }
  /// `tile`: the warp's in shared memory, which holds zeros in this token's place; `first`: position of its
  /// first token. All lanes of the warp call this.
  __device__ void append(const AttentionArgs& args, const PlannedRow& row, int head, std::byte* tile,
                         int first) const {
    const KvView& kv = args.kv;
    const int position = row.tokens.end - 1;
    const std::int64_t line =
        (2 * std::int64_t{block} * kv.kv_heads + head) * kv.block_size + position % kv.block_size;
    int cut = 0;
    const auto store = [&](float2 pair, int at, bool is_value, float scale) {
      const int byte = at * Traits::kBytes;
      std::byte* in_tile = tile + (is_value ? Traits::kHalfTile : 0) + byte % 16 +
                           chunk_offset<Traits::kChunks>(position - first, byte / 16);
      const std::int64_t to_values = is_value ? std::int64_t{kv.kv_heads} * kv.block_size : 0;
      std::byte* in_block = kv.numbers + (line + to_values) * kDim * Traits::kBytes + byte;
      if constexpr (Traits::kIsByte) {
        const float2 scaled{pair.x / scale, pair.y / scale};
        cut += (fabsf(scaled.x) > kLargestFp8) + (fabsf(scaled.y) > kLargestFp8);
        const auto codes = __nv_cvt_float2_to_fp8x2(scaled, __NV_SATFINITE, __NV_E4M3);
        *reinterpret_cast<std::uint16_t*>(in_tile) = codes;
        *reinterpret_cast<std::uint16_t*>(in_block) = codes;
      } else {
        const std::uint32_t codes = pack<Traits::kIsHalf>(pair.x, pair.y);
        *reinterpret_cast<std::uint32_t*>(in_tile) = codes;
        *reinterpret_cast<std::uint32_t*>(in_block) = codes;
      }
    };
    if (2 * lane() < kHalf) {
      const float k_scale = kv.k_scales ? kv.k_scales[head] : 1, v_scale = kv.v_scales ? kv.v_scales[head] : 1;
      HalfPairs key(keys[0], keys[1]);
      key.turn(cosine, sine);
      store(key.low, column(), false, k_scale);
      store(key.high, column() + kHalf, false, k_scale);
      const HalfPairs value(values[0], values[1]);
      store(value.low, column(), true, v_scale);
      store(value.high, column() + kHalf, true, v_scale);
    }
    __syncwarp();
    if constexpr (Traits::kIsByte) {
      cut = __reduce_add_sync(0xFFFFFFFFu, cut);
      if (kv.saturation != nullptr && lane() == 0) {
        atomicAdd(kv.saturation, 2ull * kDim);
        if (cut > 0) atomicAdd(kv.saturation + 1, static_cast<unsigned long long>(cut));
      }
    }
  }
};

}  // namespace pitwall::cuda
