// SPDX-License-Identifier: GPL-3.0-or-later
// StepView: the staged step as kernels see it. All pointers are device memory whose addresses never change,
// so that a captured graph reads the step at hand. Kernels are launched for a bound of rows; rows from the
// live count on are padding: they may be computed, and must leave KV, sampling and results of others alone.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/step_types.h"

namespace pitwall::cuda {

using bf16 = __nv_bfloat16;

/// Lists can be read up to the bound that kernels are launched for; what lies behind the live count means
/// nothing.
struct StepView {
  const StepCounts* counts;
  const std::int32_t* tokens;       ///< [rows]; −1 on padding rows
  const std::int32_t* positions;    ///< [rows]; −1 on padding rows
  const std::int32_t* slots;        ///< [rows]; −1 on padding rows
  const std::int32_t* decode_rows;  ///< [decode_rows]: rows of RowSet::tokens
  const Segment* segments;
  const std::int32_t* logit_rows;  ///< [logit_rows]: rows of RowSet::tokens
  const SampleRow* samples;
  const std::int32_t* block_tables;  ///< [slots][max_blocks]
  const std::uint8_t* long_rope;     ///< by slot
  std::int32_t max_blocks;
};

/// 16-bit activations, row-major: bf16, or float16 in the same places. Rows lie `stride` numbers apart. Whole
/// tensors have strides that are multiples of 8 and bases of 256 bytes; a slice of columns (q, k or v of
/// their common tensor) begins anywhere. What lies between the columns and the stride of a whole tensor is
/// zero and stays so.
struct Rows16 {
  bf16* data = nullptr;
  std::int32_t stride = 0, columns = 0;
  unsigned long long* cut = nullptr;  ///< float16: counts numbers that were held at ±65504; null: bf16
  __host__ __device__ bool is_half() const { return cut != nullptr; }
};
/// The same in float32: the residual stream, logits.
struct Rows32 {
  float* data = nullptr;
  std::int32_t stride = 0, columns = 0;
};

}  // namespace pitwall::cuda
