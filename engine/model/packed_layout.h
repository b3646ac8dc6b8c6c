// SPDX-License-Identifier: GPL-3.0-or-later
// How weights lie in memory: tiles of 16 rows, interleaved so that one vector load brings the same columns of
// all rows.
//
//   F32, F16, BF16, F8_E4M3   values[tile][column][16 rows]
//   quantised                 values[tile][block of 32 columns][word][16 rows][4 bytes], the words of a block
//                             being planes (packed_matrix.h):
//     nibbles, 4 words   byte j of word v: column 4v + j low, column 16 + 4v + j high
//     pairs, 2 words     byte j of word p: bits 2i, 2i + 1 of column 16p + 4i + j
//     singles, 1 word    byte j: bit v of column 4v + j
//     bytes, 8 words     byte j of word v: column 4v + j
//   scales                    records [tile][columns that share one] of runs of 16 rows: d, then m where
//   there
//                             are minima, each 16 bits; then a byte for each sub-block's scale, then its
//                             minimum (Q2_K: both in one byte). Quantised linears: a scale as stored and what
//                             is added to a code, a byte or (8 bits) a float16; F8_E4M3: a float32.
//
// Bytes per weight, of the file and here:
//   Q4_0, IQ4_NL 0.5625 = file   Q4_1 0.625 = file     Q5_0 0.6875 = file   Q5_1 0.75 = file
//   Q8_0 1.0625 = file           Q2_K 0.3281 = file    Q6_K 0.8203 = file   MXFP4 0.5313 → 0.5625
//   Q3_K 0.4297 → 0.4453         Q4_K 0.5625 → 0.5781  Q5_K 0.6875 → 0.7031 IQ4_XS 0.5313 → 0.5391
//   4-bit linear, groups of g, 16-bit scales: 0.5 + 2.5/g → 0.5 + 3/g; 8-bit: 1 + 3/g → 1 + 4/g
//   F8_E4M3 in 128×128 blocks: 1 → 1.0313
// Groups whose columns are no multiple of 32 are filled up to one. The padding of the last tile comes on top.
#pragma once
#include <vector>

#include "engine/base/units.h"
#include "engine/model/model.h"
#include "engine/model/packed_matrix.h"

namespace pitwall {

inline constexpr Bytes kPackedAlignment = 64;  ///< where each weight begins

/// The shape of a weight in memory, before there is memory.
struct PackedLayout {
  PackedMatrix matrix;                      ///< without pointers
  Bytes values = 0, scales = 0;             ///< each a multiple of kPackedAlignment
  std::vector<std::int32_t> order;          ///< PackedMatrix::order; empty where columns keep their places
  std::vector<std::int32_t> record_groups;  ///< of a quantised linear: the group of each record of scales
};
/// The numbers of a quantised linear must have been checked.
PackedLayout packed_layout(const TensorView& source);

// Of a quantised linear: records of scales along a row of tiles, and bytes of one.
int packed_records(const PackedMatrix& matrix);
int packed_record_bytes(const PackedMatrix& matrix);

}  // namespace pitwall
