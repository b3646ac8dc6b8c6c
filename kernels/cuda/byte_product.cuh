// SPDX-License-Identifier: GPL-3.0-or-later
// Products of up to eight tokens with quantised weights, in integers. Codes are the bytes of the first
// operand as they are stored; a token's numbers, which share a power of two u in each span of columns, are
// whole numbers X of 14 bits and a sign, split into two bytes: 256·high + low. The second operand has eight
// columns: high and low of four tokens; where there are fewer, of several spans beside each other (slots), a
// span's codes meeting zeros in the others' columns. So a lane's sums are of one token and one span, whose
// scales they meet once:
//   Σ (d·(code − zero) + m)·x = d·u·(Σ code·X − zero·ΣX) + m·u·ΣX,   x = u·X.
// X is exact down to 2^−6 of a span's largest number, below that within 2^−15 of it.
#pragma once
#include "kernels/cuda/cell.cuh"
#include "kernels/cuda/skinny.cuh"

namespace pitwall::cuda {

/// c += a·b of bytes: 16×32 by 32×8, or 16×16 by 16×8. Registers as multiply_bf16() has them, four
/// neighbours in each: a[step][row g, row g + 8]. kSigned: both have a sign, else only b.
template <bool kSigned>
__device__ inline void multiply_bytes(int (&c)[4], const std::uint32_t (&a)[2][2],
                                      const std::uint32_t (&b)[2]) {
#define PITWALL_MULTIPLY(type)                                                 \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32." type                   \
               ".s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                \
               : "r"(a[0][0]), "r"(a[0][1]), "r"(a[1][0]), "r"(a[1][1]), "r"(b[0]), "r"(b[1]))
  if constexpr (kSigned) {
    PITWALL_MULTIPLY("s8");
  } else {
    PITWALL_MULTIPLY("u8");
  }
#undef PITWALL_MULTIPLY
}
template <bool kSigned>
__device__ inline void multiply_bytes(int (&c)[4], const std::uint32_t (&a)[1][2],
                                      const std::uint32_t (&b)[1]) {
  static_assert(!kSigned);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
               : "r"(a[0][0]), "r"(a[0][1]), "r"(b[0]));
}

/// A type's table, four integers a word.
struct IntegerTable {
  std::uint32_t words[4];
};
constexpr IntegerTable integer_table(TensorType type) {
  IntegerTable table{};
  for (int c = 0; c < 16; ++c)
    table.words[c / 4] |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(block_format(type).table[c]))
                          << (c % 4 * 8);
  return table;
}

template <TensorType kType>
inline constexpr IntegerTable kIntegerTable = integer_table(kType);

/// kWide: neighbouring kWideGroup columns share their scales.
template <TensorType kType, int kTokens_, bool kWide, bool kGated_>
struct ByteCells {
  using Source = CellMatrix;
  static constexpr TensorType kStoredType = kType;
  static constexpr StoredFormat kFormat = kStored<kType>;
  static constexpr bool kGated = kGated_;
  static constexpr int kTokens = kTokens_, kTiles = kGated ? 2 : 1, kPassRows = kTileRows;
  static constexpr int kWarps = 16, kStages = 2;
  /// For the compiler, so that kernels between products find registers beside a block.
  static constexpr int kBoundThreads = kTokens > 1 ? 640 : 768;
  static constexpr int kBuffers = kTokens > 4 ? 1 : 2;                                   ///< of a pass's sums
  static constexpr int kQuadColumns = 2 * kCellColumns, kQuads = kFormat.bytes ? 1 : 2;  ///< of a chunk
  static constexpr int kColumns = kQuads * kQuadColumns, kCells = 2 * kQuads;
  static constexpr int kTokenTiles = kTokens > 4 ? kTokens / 4 : 1, kTileTokens = kTokens / kTokenTiles;
  static constexpr int kSlots = 4 / kTileTokens;  ///< spans beside each other: a group
  static constexpr bool kWideScales = kWide;
  static constexpr int kSpan = kWide && kSlots == 1 ? kWideGroup : kFormat.span;
  static constexpr int kProducts = kSpan > 32 ? kSpan / 32 : 1;  ///< of a span
  static constexpr int kSteps = kSpan < 32 ? 1 : 2;              ///< 16s of columns of a product
  static constexpr int kGroupColumns = kSlots * kSpan, kGroups = kQuadColumns / kGroupColumns;
  /// Quads that begin with a record.
  static constexpr int kUnit = !kFormat.grouped && kFormat.record_columns > kQuadColumns ? 2 : 1;

  static constexpr int kValueBytes = kCells * kFormat.cell_bytes;
  static constexpr int kRecordBytes = kFormat.grouped ? kColumns / (kWide ? kWideGroup : 32) * kTileRows * 4
                                                      : (kColumns + kFormat.record_columns - 1) /
                                                            kFormat.record_columns * kFormat.record_bytes;
  static constexpr int kStageBytes = kValueBytes + kRecordBytes;

  /// A group's columns of the tokens.
  struct Group {
    std::uint32_t bytes[kTokenTiles][kProducts][32][kSteps];
    float2 spans[kTokenTiles][4];  ///< by t: u and ΣX
  };
  using Sums = float[kTokenTiles][2];  ///< of a lane: rows g and g + 8
};

/// Neighbouring quads of columns.
struct QuadRange {
  int first, end;
};
/// Part `part` of `parts` equal ones.
template <class Cells>
__host__ __device__ inline QuadRange quads_of(int cells, int part, int parts) {
  const int quads = (cells + 1) / 2, units = (quads + Cells::kUnit - 1) / Cells::kUnit;
  const int first = units * part / parts * Cells::kUnit, end = units * (part + 1) / parts * Cells::kUnit;
  return {first, end < quads ? end : quads};
}

/// What a warp does of a tile.
template <class Cells>
class ByteProduct {
 public:
  /// Of a lane's column of the second operand: ones where it is its slot's.
  struct SlotMasks {
    std::uint32_t of[Cells::kSlots];
    __device__ SlotMasks() {
#pragma unroll
      for (int j = 0; j < Cells::kSlots; ++j)
        of[j] = static_cast<int>(threadIdx.x) % 32 / 8 / Cells::kTileTokens == j ? 0xFFFFFFFFu : 0;
    }
  };
  using Group = typename Cells::Group;
  using Sums = typename Cells::Sums;
  static constexpr TensorType kType = Cells::kStoredType;
  static constexpr StoredFormat kFormat = Cells::kFormat;
  static constexpr bool kShifted = kFormat.bits == 4 && !kFormat.table;  ///< rows g + 8 count sixteen times

  static __device__ void multiply(const CellMatrix& source, const std::byte* values, const std::byte* records,
                                  int in_record, const Group* groups, const SlotMasks& masks, Sums& sums) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    CellWords words[2];
#pragma unroll
    for (int c = 0; c < 2; ++c)
      words[c] = load_cell<kType, FromShared>(values + c * kFormat.cell_bytes, lane);
#pragma unroll
    for (int i = 0; i < Cells::kGroups; ++i) {
      const Group& group = groups[i];
      int codes[Cells::kTokenTiles][4] = {};
#pragma unroll
      for (int j = 0; j < Cells::kSlots * Cells::kProducts; ++j) {
        const int step = (i * Cells::kSlots * Cells::kProducts + j) * Cells::kSteps;
        std::uint32_t a[Cells::kSteps][2];
#pragma unroll
        for (int s = 0; s < Cells::kSteps; ++s) bytes_of(words[(step + s) / 4], (step + s) % 4, a[s]);
#pragma unroll
        for (int n = 0; n < Cells::kTokenTiles; ++n) {
          std::uint32_t b[Cells::kSteps];
#pragma unroll
          for (int s = 0; s < Cells::kSteps; ++s) {
            b[s] = group.bytes[n][j % Cells::kProducts][lane][s];
            if constexpr (Cells::kSlots > 1) b[s] &= masks.of[j];
          }
          multiply_bytes<kFormat.table>(codes[n], a, b);
        }
      }
      int column = in_record;
      if constexpr (!Cells::kWideScales)
        column += i * Cells::kGroupColumns + t / Cells::kTileTokens * Cells::kSpan;
      const CellScale scale = cell_scale<kType, true>(
          load_scale<kType, FromShared, true>(source, records, column, g), source.scale_type);
#pragma unroll
      for (int n = 0; n < Cells::kTokenTiles; ++n) {
        const float2 span = group.spans[n][t];
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          float sum = static_cast<float>(codes[n][2 * h] * 256 + codes[n][2 * h + 1]);
          if (kShifted && h == 1) sum *= 0x1p-4f;
          if constexpr (!kFormat.table) sum = fmaf(-scale.zero[h], span.y, sum);
          sums[n][h] = fmaf(scale.d[h] * span.x, sum, sums[n][h]);
          if constexpr (kFormat.minimum) sums[n][h] = fmaf(scale.m[h], span.x * span.y, sums[n][h]);
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t kBytes = 0x01010101u;

  /// Four codes each of rows g and g + 8.
  static __device__ void bytes_of(const CellWords& words, int s, std::uint32_t (&out)[2]) {
    constexpr std::uint32_t kLow = 15 * kBytes, kHigh = 240 * kBytes;
    if constexpr (kFormat.table) {
      table_bytes_of(words.nibbles[s], out);
    } else if constexpr (kFormat.bytes) {
      out[0] = words.bytes[0][s];
      out[1] = words.bytes[1][s];
    } else if constexpr (kShifted) {
      out[0] = words.nibbles[s] & kLow;
      out[1] = words.nibbles[s] & kHigh;
    } else {
      constexpr int kPairBit = kFormat.bits == 6 ? 4 : 0, kSingleBit = kFormat.bits - 1;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        out[h] = kFormat.nibbles ? words.nibbles[s] >> (4 * h) & kLow : 0;
        if constexpr (kFormat.pairs)
          out[h] |= moved(words.pairs[s / 2], 4 * (s % 2) + 2 * h, kPairBit) & (3 * kBytes << kPairBit);
        if constexpr (kFormat.singles)
          out[h] |= moved(words.singles, 2 * s + h, kSingleBit) & (kBytes << kSingleBit);
      }
    }
  }
  static __device__ std::uint32_t moved(std::uint32_t word, int from, int to) {
    return from > to ? word >> (from - to) : word << (to - from);
  }

  /// Integers of a table with a sign. A byte is looked up among eight by three bits of a code, in both halves
  /// of the table; the fourth chooses.
  static __device__ void table_bytes_of(std::uint32_t word, std::uint32_t (&out)[2]) {
    constexpr IntegerTable kWords = kIntegerTable<kType>;
    const std::uint32_t index = word & 0x77777777u, half = (word >> 1 & 0x44444444u) | 0x32103210u;
    const auto look_up = [&](int shift) {
      return __byte_perm(__byte_perm(kWords.words[0], kWords.words[1], index >> shift),
                         __byte_perm(kWords.words[2], kWords.words[3], index >> shift), half >> shift);
    };
    const std::uint32_t even = look_up(0), odd = look_up(16);
    out[0] = __byte_perm(even, odd, 0x6420);
    out[1] = __byte_perm(even, odd, 0x7531);
  }
};

}  // namespace pitwall::cuda
