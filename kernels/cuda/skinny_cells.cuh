// SPDX-License-Identifier: GPL-3.0-or-later
// Quantised weights in the frame of skinny.cuh, shared out by tiles of 16 rows. Codes are multiplied as small
// integers that the tokens' type holds exactly. bfloat16: the bits of a code below those of 128 are 128 +
// code, the upper nibble of eight bits below those of 2048 is 2048 + 16·nibble. float16: the bits of a code
// below those of 16, 64 or 1024, by its size, are their sum. What that adds, the zero and the minimum all
// count once for each token number, so a product of the tokens with ones gives what to take away, and a
// span's sums meet its float32 scales once:
//   Σ (d·(code − zero) + m)·x = d·Σ (bias + code)·x + (m − d·(bias + zero))·Σ x.
#pragma once
#include "kernels/cuda/cell.cuh"
#include "kernels/cuda/skinny.cuh"

namespace pitwall::cuda {

/// `kSpan`: columns that share a scale: 16, 32 or kWideGroup. Gated: a pass is one tile of each matrix.
template <bool kIsHalf, TensorType kType, int kTokenTiles_, int kSpan, bool kGated = false>
struct CellWeights {
  using Source = CellMatrix;
  static constexpr int kTokenTiles = kTokenTiles_, kTiles = kGated ? 2 : 1;
  static constexpr int kWarps = 8, kBlocks = 2, kStages = 2, kKept = 0;
  static constexpr bool kOnePass = kGated;
  static constexpr int kPassRows = kTileRows * (kGated ? 1 : kTiles);
  static constexpr StoredFormat kFormat = kStored<kType>;
  static constexpr int kCells = kFormat.bits <= 4 && kTokenTiles == 1 ? 4 : 2,
                       kColumns = kCells * kCellColumns;
  static constexpr bool kNumbers = kFormat.table || kType == TensorType::f8_e4m3;  ///< codes have no bias
  static constexpr bool kSplits = kFormat.bytes && !kNumbers && !kIsHalf;          ///< bytes in two nibbles
  /// float16: places that a code moves up, so that its lowest bit counts one beside kBias.
  static constexpr int kUp = kFormat.bytes ? 0 : kFormat.bits == 4 ? 6 : 4;
  static constexpr float kBias = kIsHalf ? 1024 >> kUp : kSplits ? 128 + 2048 : 128;

  static constexpr int kValueBytes = kCells * kFormat.cell_bytes;
  /// Of a chunk's records: 16 float32 scales and 16-bit zeros at most, or those of blocks.
  static constexpr int kRecordBytes = kFormat.grouped ? std::max(1, kColumns / kSpan) * kTileRows * 6
                                      : kFormat.record_columns < kColumns
                                          ? kColumns / kFormat.record_columns * kFormat.record_bytes
                                          : kFormat.record_bytes;
  static constexpr int kTileBytes = kValueBytes + kRecordBytes, kStageBytes = kTiles * kTileBytes;

  struct Tokens {
    std::uint32_t pairs[kCells][4][kTokenTiles][2];  ///< by cell and step
  };

  struct Lane {
    const std::byte *values[kTiles], *scales[kTiles];  ///< null: there is no such tile
    int group_shift, record_bytes;
  };
  template <class Matrices>
  static __device__ Lane aim(const Matrices& matrices, int pass) {
    const int owner = kGated ? 0 : matrices.owner(pass);
    const Source& source = matrices.sources[owner];
    const int tile = (pass - matrices.first_pass[owner]) * (kGated ? 1 : kTiles);
    Lane from{{}, {}, source.group_shift, source.record_bytes};
#pragma unroll
    for (int m = 0; m < kTiles; ++m) {
      const Source& of_tile = matrices.sources[kGated ? m : owner];
      const std::int64_t place = kGated ? tile : tile + m;
      if (place >= of_tile.tiles) continue;
      from.values[m] = of_tile.values + place * of_tile.tile_values;
      from.scales[m] = of_tile.scales + place * of_tile.tile_scales;
    }
    return from;
  }

  template <class Matrices>
  static __device__ void fill(const Lane& from, const Matrices& matrices, int chunk, std::uint32_t stage) {
    const int cells = cells_of(matrices, chunk);
    const int first = record_place(from, chunk * kColumns);
    const int last = record_place(from, chunk * kColumns + cells * kCellColumns - 1);
    const int record_bytes = kFormat.grouped ? from.record_bytes : kFormat.record_bytes;
#pragma unroll
    for (int m = 0; m < kTiles; ++m) {
      if (from.values[m] == nullptr) continue;
      copy<kValueBytes>(stage + m * kTileBytes, from.values[m] + std::int64_t{chunk} * kValueBytes,
                        cells * kFormat.cell_bytes);
      copy<kRecordBytes>(stage + m * kTileBytes + kValueBytes, from.scales[m] + first,
                         last - first + record_bytes);
    }
  }

  static __device__ Tokens load_tokens(const LaneTokens<kTokenTiles>& in, int chunk) {
    Tokens tokens;
    const auto load = [&](bool straight) {
#pragma unroll
      for (int c = 0; c < kCells; ++c) {
#pragma unroll
        for (int s = 0; s < 4; ++s) {
#pragma unroll
          for (int n = 0; n < kTokenTiles; ++n) {
            const int k =
                chunk * kColumns + c * kCellColumns + 16 * s + static_cast<int>(threadIdx.x) % 4 * 4;
            load_token<4>(in, straight, in.rows[n], k, tokens.pairs[c][s][n]);
          }
        }
      }
    };
    if (in.straight(chunk * kColumns, kColumns)) {
      load(true);
    } else {
      load(false);
    }
    return tokens;
  }

  template <class Matrices>
  static __device__ void multiply(const Matrices& matrices, int owner, int chunk, const unsigned char* stage,
                                  LaneTokens<kTokenTiles> in, const Tokens& tokens,
                                  float (&sums)[kTiles][kTokenTiles][4]) {
    const auto* tiles = reinterpret_cast<const std::byte*>(stage);
    const int cells = cells_of(matrices, chunk);
    const Source& source = matrices.sources[owner];
    if constexpr (kGated && kFormat.grouped) {
      if (matrices.orders[1] != in.order) {  // columns of each matrix in an order of its own
        multiply_tiles<1>(source, tiles, chunk, cells, tokens, sums);
        in.order = matrices.orders[1];
        multiply_tiles<1>(matrices.sources[1], tiles + kTileBytes, chunk, cells, load_tokens(in, chunk),
                          sums + 1);
        return;
      }
    }
    multiply_tiles<kTiles>(source, tiles, chunk, cells, tokens, sums);
  }

 private:
  using TileSums = float[kTokenTiles][4];

  template <class Matrices>
  static __device__ int cells_of(const Matrices& matrices, int chunk) {
    return min(kCells, matrices.stride / kCellColumns - chunk * kCells);
  }
  /// Where the record of a column begins in its tile's.
  static __device__ int record_place(const Lane& from, int column) {
    if constexpr (kFormat.grouped) {
      return (column >> from.group_shift) * from.record_bytes;
    } else {
      return column / kFormat.record_columns * kFormat.record_bytes;
    }
  }
  /// A warp's copy of `bytes` of at most kMost.
  template <int kMost>
  static __device__ void copy(std::uint32_t to, const std::byte* from, int bytes) {
#pragma unroll
    for (int i = 0; i < kMost; i += 32 * 16) {
      const int at = i + static_cast<int>(threadIdx.x) % 32 * 16;
      if (at < bytes) copy_async_16(to + at, from + at);
    }
  }

  /// kCount tiles of neighbouring places that share their tokens.
  template <int kCount>
  static __device__ void multiply_tiles(const Source& source, const std::byte* tiles, int chunk, int cells,
                                        const Tokens& tokens, TileSums* sums) {
    int in_record = 0;  // columns of the first record that chunks before had
    if constexpr (!kFormat.grouped) in_record = chunk * kColumns % kFormat.record_columns;
    float codes[kCount][kTokenTiles][4] = {}, ones[kTokenTiles][4] = {};
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int c = 0; c < kCells; ++c) {
      if (c >= cells) break;
      CellWords words[kCount];
#pragma unroll
      for (int m = 0; m < kCount; ++m)
        words[m] = load_cell<kType, FromShared>(tiles + m * kTileBytes + c * kFormat.cell_bytes, lane);
#pragma unroll
      for (int s = 0; s < 4; ++s) {
        add_ones(tokens.pairs[c][s], ones);
#pragma unroll
        for (int m = 0; m < kCount; ++m) add_codes(words[m], s, tokens.pairs[c][s], codes[m]);
        const int columns = c * kCellColumns + 16 * (s + 1);
        if (columns % kSpan != 0 && (s < 3 || c + 1 < cells)) continue;
#pragma unroll
        for (int m = 0; m < kCount; ++m) {
          const std::byte* records = tiles + m * kTileBytes + kValueBytes;
          const ScaleWords scale = load_scale<kType, FromShared>(
              source, records, in_record + (columns - 1) / kSpan * kSpan, lane / 4);
          add_span(cell_scale<kType>(scale, source.scale_type), codes[m], ones, sums[m]);
        }
#pragma unroll
        for (int n = 0; n < kTokenTiles; ++n) {
#pragma unroll
          for (int i = 0; i < 4; ++i) ones[n][i] = 0;
        }
      }
    }
  }

  static __device__ void add_ones(const std::uint32_t (&x)[kTokenTiles][2], float (&ones)[kTokenTiles][4]) {
    constexpr std::uint32_t kOnes = kIsHalf ? 0x3C003C00u : 0x3F803F80u;
    if constexpr (!kNumbers) {
#pragma unroll
      for (int n = 0; n < kTokenTiles; ++n)
        cuda::multiply<kIsHalf>(ones[n], {kOnes, kOnes, kOnes, kOnes}, x[n][0], x[n][1]);
    }
  }

  static __device__ void add_codes(const CellWords& words, int s, const std::uint32_t (&x)[kTokenTiles][2],
                                   float (&codes)[kTokenTiles][4]) {
    constexpr std::uint32_t kNibbles = 0x000F000Fu, kBytes = 0x00FF00FFu, k2048 = 0x45004500u;
    constexpr std::uint32_t kBase = kIsHalf ? 0x64006400u - kUp * 0x04000400u : 0x43004300u;  // of kBias
    std::uint32_t low[4], high[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (kFormat.table) {
        low[i] = table_pair<kType, kIsHalf>(pair_code<kType>(words, s, i));
      } else if constexpr (kType == TensorType::f8_e4m3) {
        low[i] = fp8_pair<kIsHalf>(pair_code<kType>(words, s, i));
      } else if constexpr (kSplits) {
        low[i] = mask_or(words.bytes[i % 2][s] >> (8 * (i / 2)), kNibbles, kBase);
        high[i] = mask_or(words.bytes[i % 2][s] >> (8 * (i / 2) + 4), kNibbles, k2048);
      } else if constexpr (kFormat.bytes) {
        low[i] = mask_or(words.bytes[i % 2][s] >> (8 * (i / 2)), kBytes, kBase);
      } else if constexpr (kFormat.bits == 4 && kIsHalf) {
        const int up = kUp - 4 * i;
        const std::uint32_t moved = up > 0 ? words.nibbles[s] << up : words.nibbles[s] >> -up;
        low[i] = mask_or(moved, kNibbles << kUp, kBase);
      } else if constexpr (kFormat.bits == 4) {
        low[i] = mask_or(words.nibbles[s] >> (4 * i), kNibbles, kBase);
      } else {
        low[i] = pair_code<kType>(words, s, i) << (kIsHalf ? kUp : 0) | kBase;
      }
    }
#pragma unroll
    for (int n = 0; n < kTokenTiles; ++n) {
      cuda::multiply<kIsHalf>(codes[n], low, x[n][0], x[n][1]);
      if constexpr (kSplits) cuda::multiply<kIsHalf>(codes[n], high, x[n][0], x[n][1]);
    }
  }

  /// Takes the sums of codes, which begin again.
  static __device__ void add_span(const CellScale& scale, float (&codes)[kTokenTiles][4],
                                  const float (&ones)[kTokenTiles][4], float (&sums)[kTokenTiles][4]) {
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
        codes[n][i] = 0;
      }
    }
  }
};

inline CellMatrix cell_source(const DeviceMatrix& matrix) {
  return cell_matrix(matrix, stored_format(matrix.type));
}

/// Calls `body` with whether the tokens are float16 and with their tiles as template arguments.
template <class Body>
void with_token_tiles(const SkinnyInput& in, const Body& body) {
  const auto with_tiles = [&]<bool kIsHalf>() {
    if (in.rows <= 8) return body.template operator()<kIsHalf, 1>();
    body.template operator()<kIsHalf, 2>();
  };
  if (in.x.is_half()) return with_tiles.template operator()<true>();
  with_tiles.template operator()<false>();
}

template <TensorType kType, int kSpan>
void launch_cells(const SkinnyInput& in, const SkinnyOutput* outputs, int count, cudaStream_t stream) {
  with_token_tiles(in, [&]<bool kIsHalf, int kTiles>() {
    launch_skinny<CellWeights<kIsHalf, kType, kTiles, kSpan>>(in, outputs, count, cell_source, stream);
  });
}
template <TensorType kType, int kSpan>
void launch_gated_cells(const SkinnyInput& in, const GatedMlp& mlp, cudaStream_t stream) {
  with_token_tiles(in, [&]<bool kIsHalf, int kTiles>() {
    launch_gated<CellWeights<kIsHalf, kType, kTiles, kSpan, true>>(in, mlp, cell_source, stream);
  });
}

}  // namespace pitwall::cuda
