// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/tensor_map.h"

#include <cuda_runtime.h>

namespace pitwall::cuda {

CUtensorMap map_panels(const void* numbers, std::int64_t lines, int columns, int stride, int box_lines) {
  // Every driver of a device that has tensor maps has this.
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  CUtensorMap map{};
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(lines)};
  const cuuint64_t line_bytes[1] = {2 * static_cast<cuuint64_t>(stride)};
  const cuuint32_t box[2] = {64, static_cast<cuuint32_t>(box_lines)}, steps[2] = {1, 1};
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, const_cast<void*>(numbers), sizes, line_bytes, box, steps,
         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

}  // namespace pitwall::cuda
