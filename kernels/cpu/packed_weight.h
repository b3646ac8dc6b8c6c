// SPDX-License-Identifier: GPL-3.0-or-later
// Weights into the tiles of packed_layout.h and out of them.
#pragma once
#include "engine/model/packed_layout.h"
#include "kernels/cpu/kernel_table.h"

namespace pitwall {

/// Whether linear_quantized() takes the type.
bool is_quantised(TensorType type);

/// Writes tile `tile` of `source` at its place; values and scales are the starts of zeroed areas of the
/// layout's sizes.
void pack_tile(const TensorView& source, const PackedLayout& layout, int tile, std::byte* values,
               std::byte* scales);

/// Row `row` as floats, into out[the source's columns].
void unpack_row(const PackedMatrix& weight, int row, float* out);

}  // namespace pitwall
