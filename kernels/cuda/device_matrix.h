// SPDX-License-Identifier: GPL-3.0-or-later
// A weight matrix on the device, [rows out × columns in], at its packed size: plain bf16, or codes of 2 to 8
// bits with scales by groups of columns, repacked from whatever the checkpoint had when it was loaded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/model/model.h"
#include "kernels/cuda/step_view.h"

namespace pitwall::cuda {

struct DeviceMatrix {
  TensorType type = TensorType::bf16;  ///< bf16; a GGUF block type; i4, i8 or f8_e4m3 of a quantised linear
  int rows = 0, columns = 0;
  int stride = 0;  ///< columns with padding; padding counts as zero. bf16: a multiple of 8
  const std::byte* values = nullptr;
  const std::byte* scales = nullptr;    ///< null for bf16
  int group_columns = 0;                ///< of a quantised linear: columns that share a scale
  const std::int32_t* order = nullptr;  ///< input column of each stored column, or null (GPTQ act-order)
  bool is_plain() const { return type == TensorType::bf16; }
};

/// Bytes that a checkpoint's matrix takes on the device, and its shape there (pointers null). F32, F16 and
/// BF16 become bf16 (round to nearest even). The numbers of a quantised linear must have been checked.
struct MatrixLayout {
  DeviceMatrix matrix;
  std::int64_t value_bytes = 0, scale_bytes = 0;  ///< each a multiple of 16
  std::vector<std::int32_t> order;                ///< empty where columns keep their places
};
MatrixLayout matrix_layout(const TensorView& source);

/// Repacks rows [first, first + count) on the host into `values` and `scales`, the places of row `first`:
/// what belongs to one row, or to one tile of kPackRows rows, is contiguous. `first` is a multiple of
/// kPackRows.
inline constexpr int kPackRows = 64;
void pack_rows(const TensorView& source, const MatrixLayout& layout, int first, int count, std::byte* values,
               std::byte* scales);
/// Where those places begin, from the start of the matrix.
struct PackPlace {
  std::int64_t values, scales;
};
PackPlace pack_place(const MatrixLayout& layout, int first);

/// Rows [first, first + count) as bf16, rounded once from float32; out is [count][stride].
void dequantize(const DeviceMatrix& matrix, int first, int count, bf16* out, int stride, cudaStream_t stream);
/// Row ids[i] times `scale` into out row i, in float32; ids below 0 give zeros.
void gather_dequantized(const DeviceMatrix& matrix, const std::int32_t* ids, int count, float scale,
                        Rows32 out, cudaStream_t stream);

}  // namespace pitwall::cuda
