// SPDX-License-Identifier: GPL-3.0-or-later
// A weight matrix on the device, [rows out × columns in], at its packed size: plain bf16 or float16, or codes
// of 2 to 8 bits with scales by groups of columns (matrix_layout.h); and its numbers in 16 bits or float32.
#pragma once
#include "kernels/cuda/matrix_layout.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

/// Rows [first, first + count) into rows of `out`, rounded once from float32, columns in the order of the
/// checkpoint; out's padding becomes zero. Plain matrices are what `out` is.
void dequantize(const DeviceMatrix& matrix, int first, int count, Rows16 out, cudaStream_t stream);
/// Row ids[i] times `scale` into out row i, in float32; ids below 0 give zeros. Out's columns are the
/// matrix's.
void gather_dequantized(const DeviceMatrix& matrix, const std::int32_t* ids, int count, float scale,
                        Rows32 out, cudaStream_t stream);

}  // namespace pitwall::cuda
