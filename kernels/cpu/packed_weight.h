// SPDX-License-Identifier: GPL-3.0-or-later
// How weights lie in memory: tiles of 16 rows, interleaved so that one vector load brings the same columns of
// all rows.
//
//   F32, F16, BF16   values[tile][column][16 rows]
//   Q4_0, Q4_1       values[tile][block][4][16 rows][4 bytes]: byte j of word v is the format's byte 4v + j,
//   columns 4v + j
//                    (low nibble) and 16 + 4v + j (high nibble)
//   Q8_0             values[tile][block][8][16 rows][4 columns]
//   scales           [tile][block][16 rows] float16; Q4_1: 16 scales, then 16 minima
//
// The size is that of the file but for the padding of the last tile.
#pragma once
#include "engine/base/units.h"
#include "engine/model/model.h"
#include "kernels/cpu/kernel_table.h"

namespace pitwall {

inline bool is_quantised(TensorType type) {
  return type == TensorType::q4_0 || type == TensorType::q4_1 || type == TensorType::q8_0;
}

struct PackedSize {
  Bytes values = 0, scales = 0;  ///< each a multiple of 64
};
PackedSize packed_size(TensorType type, std::int64_t rows, std::int64_t columns);

/// Writes tile `tile` of `source` at its place; values and scales are the starts of zeroed areas of
/// packed_size().
void pack_tile(const TensorView& source, int tile, std::byte* values, std::byte* scales);

/// Row `row` as floats, into out[columns].
void unpack_row(const PackedMatrix& weight, int row, float* out);

}  // namespace pitwall
