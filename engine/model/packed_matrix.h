// SPDX-License-Identifier: GPL-3.0-or-later
// A weight in tiles of 16 rows, as the CPU back end multiplies it, and where a block of 32 columns of a tile
// has its codes and scales, for every quantised type. Constants and plain data only: kernels of every
// instruction set include it and must not share code.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/model/block_codes.h"
#include "engine/model/tensor_type.h"

namespace pitwall {

inline constexpr int kTileRows = 16;    ///< rows of a weight that are interleaved into one tile
inline constexpr int kQuantBlock = 32;  ///< columns that activations share a scale in

/// A weight [rows × columns] in tiles of kTileRows rows (the last one padded with zeros); see
/// packed_layout.h.
struct PackedMatrix {
  TensorType type = TensorType::f32;
  int rows = 0, columns = 0;
  const std::byte* values = nullptr;  ///< tile-major
  const std::byte* scales = nullptr;  ///< tile-major, quantised formats only
  // Of quantised linears (i4, i8, f8_e4m3):
  TensorType scale_type = TensorType::f32;  ///< f16, bf16 or f32
  int group_columns = 0;                    ///< that share a scale; i4, i8: a multiple of kQuantBlock
  /// Column k holds the input's column order[k], nothing where it is negative; null: all in order.
  const std::int32_t* order = nullptr;
  int inputs = 0;  ///< columns of the input; `columns` is more where `order` fills up groups
  int tiles() const { return (rows + kTileRows - 1) / kTileRows; }
};

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
