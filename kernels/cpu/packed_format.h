// SPDX-License-Identifier: GPL-3.0-or-later
// Where a block of 32 columns of a tile has its codes and scales, for every quantised type. Constants only:
// kernels of every instruction set include it and must not share code.
#pragma once
#include "engine/model/block_codes.h"
#include "kernels/cpu/kernel_table.h"

namespace pitwall {

/// Codes lie in planes: nibbles (4 to 6 bits), pairs (the whole of 2 bits, the low part of 3, the high part
/// of 6), single bits (the high part of 3 and 5), or bytes (8). A plane of b bits is b words of 4 bytes a
/// row.
struct PackedFormat {
  using Scale = BlockFormat::Scale;
  BlockFormat block;
  bool grouped;  ///< scales and zeros of a QuantizedLinear, not of blocks
  int bits;      ///< of a code
  bool nibbles, pairs, singles;
  bool halves;         ///< scales change after 16 columns
  bool minimum;        ///< numbers are d·code + m
  int record_columns;  ///< columns that share a record of scales; 0: PackedMatrix::group_columns
  int record_bytes;    ///< of 16 rows
};

constexpr PackedFormat packed_format(TensorType type) {
  using Scale = BlockFormat::Scale;
  PackedFormat f{};
  f.grouped = type == TensorType::i4 || type == TensorType::i8;
  f.block = block_format(type);
  if (f.grouped) f.block = {.bits = type == TensorType::i4 ? 4 : 8, .is_signed = type == TensorType::i8};
  f.bits = f.block.bits;
  f.nibbles = f.bits >= 4 && f.bits <= 6;
  f.pairs = f.bits == 2 || f.bits == 3 || f.bits == 6;
  f.singles = f.bits == 3 || f.bits == 5;
  f.halves = f.block.sub_columns == 16;
  f.minimum = f.block.scale == Scale::half_minimum || f.block.scale == Scale::sub_minimum;
  f.record_columns = f.grouped ? 0 : f.block.columns;
  const int halves = f.minimum ? 2 : 1;  // d, and m where there are minima
  f.record_bytes = kTileRows * 2 * halves;
  const int subs = f.block.columns / f.block.sub_columns;
  if (f.block.scale == Scale::sub) f.record_bytes += kTileRows * subs;
  // Two bytes a sub-block, or one with two nibbles where both numbers have four bits.
  if (f.block.scale == Scale::sub_minimum) f.record_bytes += kTileRows * subs * (f.bits == 2 ? 1 : 2);
  return f;
}

constexpr bool is_packed_quantised(TensorType type) {
  return is_block_type(type) || type == TensorType::i4 || type == TensorType::i8;
}

constexpr int group_bytes(int bits) {  ///< of the codes of 16 rows × 32 columns
  return bits * 4 * kTileRows;
}

}  // namespace pitwall
