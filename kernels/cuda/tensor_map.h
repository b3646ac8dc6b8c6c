// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptions of matrices of 16-bit numbers for copies by tensor map (wgmma.cuh): a box is a panel of 64
// columns, permuted in shared memory as products of warpgroups read it. On sm_90 and later.
#pragma once
#include <cuda.h>

#include <cstdint>

namespace pitwall::cuda {

/// Lines lie `stride` numbers apart, a multiple of 8 (16 bytes, as the start of `numbers`). Beyond lines and
/// columns boxes are filled with zeros.
CUtensorMap map_panels(const void* numbers, std::int64_t lines, int columns, int stride, int box_lines);

}  // namespace pitwall::cuda
