// SPDX-License-Identifier: GPL-3.0-or-later
// How a weight matrix lies on the device, and its repacking on the host; nothing of CUDA, so that a machine
// without it can check both.
//
//   plain (from F32, F16, BF16) values[row][stride] in bf16 or float16, the padding zero
//   quantised                   values[tile of 16 rows][cell of 64 columns][plane][lane][words of 4 bytes]
//
// A cell holds what one warp multiplies by m16n8k16: step s (0 … 3) is columns 16s … 16s + 15, and lane 4g +
// t has of each step rows g and g + 8, columns 4t … 4t + 3: eight codes, counted as pairs i = 0 … 3 with a
// low and a high half: row g + 8·(i % 2), column 4t + 2·(i / 2) + half. Planes of a lane, by bits of a code:
//   nibbles, 4 words   word s: bits 4i + 16·half                             (4, 5, 6: bits 0 … 3)
//   pairs, 2 words     word s / 2: bits 8·(i / 2) + 16·half + 4·(s % 2) + 2·(i % 2)   (2, 3: bits 0, 1; 6:
//   bits 4, 5) singles, 1 word    bit 8·(i / 2) + 16·half + 2s + i % 2                  (3: bit 2; 5: bit 4)
//   bytes, 4 words     word s: bits 8·(i / 2) + 16·half                      (8: two planes, by i % 2)
// so that a shift and a mask leave the codes of a pair in the halves of a register, or four codes of a row in
// its bytes. Codes are unsigned (Q8_0: + 128); number = d·(code − zero) + m, the integer of a table for IQ4
// and MXFP4.
//
//   scales   records[tile][columns that share one] of runs of 16 rows, row g + 8h at place 2g + h: d, then m
//   where there are minima, each 16 bits; then a byte for each sub-block's scale, then its minimum (Q2_K:
//   both in one byte). Quantised linears: a scale of DeviceMatrix::scale_type, then a zero: 8 bits of i4, 16
//   of i8.
//
// Bytes per weight, of the file and here:
//   Q4_0, IQ4_NL 0.5625 = file   Q4_1 0.625 = file     Q5_0 0.6875 = file   Q5_1 0.75 = file
//   Q8_0 1.0625 = file           Q2_K 0.3281 = file    Q6_K 0.8203 = file   MXFP4 0.5313 → 0.5625
//   Q3_K 0.4297 → 0.4453         Q4_K 0.5625 → 0.5781  Q5_K 0.6875 → 0.7031 IQ4_XS 0.5313 → 0.5391
//   4-bit linear, groups of g, 16-bit scales: 0.5 + 2.5/g → 0.5 + 3/g; 8-bit: 1 + 3/g → 1 + 4/g
//   F8_E4M3 in 128×128 blocks: 1 → 1.0313
// Columns are filled up to a cell; groups that end inside a run of 32 columns are filled up to one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/model/block_codes.h"
#include "engine/model/model.h"

namespace pitwall::cuda {

inline constexpr int kCellRows = 16, kCellColumns = 64;
inline constexpr int kWholeRow = 1 << 30;  ///< group_columns where all columns share a scale

/// Of numbers without scales: bf16 or f16, whichever activations are.
constexpr bool is_plain_type(TensorType type) {
  return type == TensorType::bf16 || type == TensorType::f16;
}

struct DeviceMatrix {
  TensorType type = TensorType::bf16;  ///< plain; a GGUF block type; i4, i8 or f8_e4m3 of a quantised linear
  int rows = 0, columns = 0;
  int stride = 0;  ///< columns with padding; padding counts as zero. Plain: a multiple of 8, else of 64
  const std::byte* values = nullptr;
  const std::byte* scales = nullptr;        ///< null for plain ones
  TensorType scale_type = TensorType::f16;  ///< of a quantised linear: f16, bf16 or f32
  int group_columns = 0;                    ///< likewise: columns that share a scale, a power of two ≥ 32
  const std::int32_t* order = nullptr;      ///< [stride]: input column of each stored one, −1 for padding;
                                            ///< null where columns keep their places
  bool is_plain() const { return is_plain_type(type); }
};

/// What the numbers of a quantised type need of a kernel.
struct StoredFormat {
  bool grouped;         ///< scales of a quantised linear, not of GGUF blocks
  int bits;             ///< of a code
  int zero;             ///< of blocks
  bool nibbles, bytes;  ///< planes that there are
  bool pairs, singles;
  bool table, minimum, sub_scales;   ///< sub_scales: d (and m) times a byte of each sub-block
  bool shared_byte;                  ///< Q2_K: scale and minimum in one
  bool bfloat;                       ///< d is bfloat16
  int span;                          ///< columns that share a scale at least: 16 or 32
  int record_columns, record_bytes;  ///< of blocks: of 16 rows
  int cell_bytes;                    ///< of the codes of a cell
};

constexpr StoredFormat stored_format(TensorType type) {
  using Scale = BlockFormat::Scale;
  StoredFormat f{};
  const BlockFormat block = block_format(type);
  f.grouped = !is_block_type(type);
  f.bits = f.grouped ? (type == TensorType::i4 ? 4 : 8) : block.bits;
  f.zero = block.is_signed ? 128 : block.zero;
  f.cell_bytes = kCellRows * kCellColumns / 8 * f.bits;
  f.nibbles = f.bits >= 4 && f.bits < 8;
  f.bytes = f.bits == 8;
  f.pairs = f.bits == 2 || f.bits == 3 || f.bits == 6;
  f.singles = f.bits == 3 || f.bits == 5;
  f.table = has_table(type);
  f.minimum = block.scale == Scale::half_minimum || block.scale == Scale::sub_minimum;
  f.sub_scales = block.scale == Scale::sub || block.scale == Scale::sub_minimum;
  f.shared_byte = block.scale == Scale::sub_minimum && block.bits == 2;
  f.bfloat = block.scale == Scale::bfloat;
  f.span = f.grouped ? 32 : block.sub_columns;
  if (f.grouped) return f;
  f.record_columns = block.columns;
  f.record_bytes = kCellRows * 2 * (f.minimum ? 2 : 1);
  const int subs = block.columns / block.sub_columns;
  if (f.sub_scales) f.record_bytes += kCellRows * subs * (f.minimum && !f.shared_byte ? 2 : 1);
  return f;
}

/// Bytes that a checkpoint's matrix takes on the device, and its shape there (pointers null). F32, F16 and
/// BF16 become `plain` (round to nearest even). The source is a weight type (is_weight_type) or a quantised
/// linear whose numbers were checked.
struct MatrixLayout {
  DeviceMatrix matrix;
  std::int64_t value_bytes = 0, scale_bytes = 0;  ///< each a multiple of 16
  std::vector<std::int32_t> order;                ///< empty where columns keep their places
  std::vector<std::int32_t> record_groups;        ///< of a quantised linear: the group of each record
};
MatrixLayout matrix_layout(const TensorView& source, TensorType plain = TensorType::bf16);

/// Repacks rows [first, first + count) on the host into `values` and `scales`, the places of row `first`:
/// what belongs to one tile of kPackRows rows is contiguous. `first` is a multiple of kPackRows, and `count`
/// too except at the end. Every byte of the tiles is written. Gives the size of the largest number that
/// float16 cannot hold, 0 where it holds all.
inline constexpr int kPackRows = 64;
float pack_rows(const TensorView& source, const MatrixLayout& layout, int first, int count, std::byte* values,
                std::byte* scales);
/// Where those places begin, from the start of the matrix.
struct PackPlace {
  std::int64_t values, scales;
};
PackPlace pack_place(const MatrixLayout& layout, int first);

}  // namespace pitwall::cuda
