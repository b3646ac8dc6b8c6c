// SPDX-License-Identifier: GPL-3.0-or-later
// Quantised weights in the frame of skinny.cuh. Codes are multiplied as small integers that bfloat16 holds
// exactly: the bits of a code below those of 128 are 128 + code, the upper nibble of eight bits below those
// of 2048 is 2048 + 16·nibble. What that adds, the zero and the minimum all count once for each token number,
// so a product of the tokens with ones gives what to take away, and a span's sums meet its float32 scales
// once:
//   Σ (d·(code − zero) + m)·x = d·Σ (bias + code)·x + (m − d·(bias + zero))·Σ x.
#pragma once
#include "kernels/cuda/cell.cuh"
#include "kernels/cuda/skinny.cuh"

namespace pitwall::cuda {

/// `kSpan`: columns that share a scale: 16, 32 or 64.
template <TensorType kType, int kTokenTiles_, int kSpan>
struct CellWeights {
  using Source = CellMatrix;
  static constexpr int kTokenTiles = kTokenTiles_;
  static constexpr StoredFormat kFormat = kStored<kType>;
  static constexpr int kSpans = kCellColumns / kSpan;
  static constexpr bool kNumbers = kFormat.table || kType == TensorType::f8_e4m3;  ///< codes have no bias
  static constexpr float kBias = kFormat.high ? 128 + 2048 : 128;
  struct Stage {
    CellWords words;
    ScaleWords scales[kSpans];
    TensorType scale_type;
  };
  struct Tokens {
    std::uint32_t pairs[4][kTokenTiles][2];  ///< by step
  };

  static __device__ void load(const Source& source, std::int64_t tile, int chunk, int lane, Stage& stage) {
    stage.words = load_cell<kType>(
        source.values + tile * source.tile_values + std::int64_t{chunk} * kFormat.cell_bytes, lane);
    const std::byte* records = source.scales + tile * source.tile_scales;
#pragma unroll
    for (int s = 0; s < kSpans; ++s)
      stage.scales[s] = load_scale<kType>(source, records, chunk * kCellColumns + s * kSpan, lane / 4);
    stage.scale_type = source.scale_type;
  }

  static __device__ Tokens load_tokens(const LaneTokens<kTokenTiles>& in, int chunk, int lane) {
    Tokens tokens;
#pragma unroll
    for (int s = 0; s < 4; ++s) {
#pragma unroll
      for (int n = 0; n < kTokenTiles; ++n)
        load_token<4>(in, in.rows[n], chunk * kCellColumns + 16 * s + lane % 4 * 4, tokens.pairs[s][n]);
    }
    return tokens;
  }

  static __device__ void multiply(const Stage& stage, const Tokens& tokens, float (&sums)[kTokenTiles][4]) {
#pragma unroll
    for (int span = 0; span < kSpans; ++span) {
      float codes[kTokenTiles][4] = {}, ones[kTokenTiles][4] = {};
#pragma unroll
      for (int s = span * kSpan / 16; s < (span + 1) * kSpan / 16; ++s)
        multiply_step(stage, tokens, s, codes, ones);
      const CellScale scale = cell_scale<kType>(stage.scales[span], stage.scale_type);
#pragma unroll
      for (int n = 0; n < kTokenTiles; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int h = i / 2;
          if constexpr (!kNumbers) {
            const float rest = fmaf(-scale.d[h], kBias + scale.zero[h], scale.m[h]);
            sums[n][i] = fmaf(rest, ones[n][i], sums[n][i]);
          }
          sums[n][i] = fmaf(scale.d[h], codes[n][i], sums[n][i]);
        }
      }
    }
  }

 private:
  static __device__ void multiply_step(const Stage& stage, const Tokens& tokens, int s,
                                       float (&codes)[kTokenTiles][4], float (&ones)[kTokenTiles][4]) {
    constexpr std::uint32_t kOnes = 0x3F803F80u, k128 = 0x43004300u, k2048 = 0x45004500u;
    std::uint32_t low[4], high[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (kFormat.table) {
        low[i] = table_pair<kType>(pair_code<kType>(stage.words, s, i));
      } else if constexpr (kType == TensorType::f8_e4m3) {
        low[i] = fp8_pair(pair_code<kType>(stage.words, s, i));
      } else if constexpr (kFormat.high) {
        low[i] = (stage.words.low[s] >> (4 * i) & 0x000F000Fu) | k128;
        high[i] = (stage.words.high[s] >> (4 * i) & 0x000F000Fu) | k2048;
      } else {
        low[i] = pair_code<kType>(stage.words, s, i) | k128;
      }
    }
#pragma unroll
    for (int n = 0; n < kTokenTiles; ++n) {
      const std::uint32_t x0 = tokens.pairs[s][n][0], x1 = tokens.pairs[s][n][1];
      multiply_bf16(codes[n], low, x0, x1);
      if constexpr (kFormat.high && !kNumbers) multiply_bf16(codes[n], high, x0, x1);
      if constexpr (!kNumbers) multiply_bf16(ones[n], {kOnes, kOnes, kOnes, kOnes}, x0, x1);
    }
  }
};

/// As many stages as registers allow without spilling.
template <TensorType kType, int kTokenTiles, int kSpan, int kMatrices>
constexpr int cell_stages() {
  const bool narrow = kStored<kType>.bits <= 4 && kSpan > 16;
  if (kMatrices == 1) return kTokenTiles == 1 ? (narrow ? 6 : 4) : (narrow ? 4 : 2);
  if (kTokenTiles == 1) return narrow ? 3 : 2;
  return narrow && kSpan > 32 ? 2 : 1;
}

inline CellMatrix cell_source(const DeviceMatrix& matrix) {
  return cell_matrix(matrix, stored_format(matrix.type));
}

template <TensorType kType, int kSpan>
void launch_cells(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream) {
  if (in.rows <= 8) {
    launch_skinny<CellWeights<kType, 1, kSpan>, cell_stages<kType, 1, kSpan, 1>()>(in, outputs, count,
                                                                                   cell_source, stream);
  } else {
    launch_skinny<CellWeights<kType, 2, kSpan>, cell_stages<kType, 2, kSpan, 1>()>(in, outputs, count,
                                                                                   cell_source, stream);
  }
}
template <TensorType kType, int kSpan>
void launch_gated_cells(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream) {
  if (in.rows <= 8) {
    launch_gated<CellWeights<kType, 1, kSpan>, cell_stages<kType, 1, kSpan, 2>()>(in, mlp, cell_source,
                                                                                  stream);
  } else {
    launch_gated<CellWeights<kType, 2, kSpan>, cell_stages<kType, 2, kSpan, 2>()>(in, mlp, cell_source,
                                                                                  stream);
  }
}

}  // namespace pitwall::cuda
