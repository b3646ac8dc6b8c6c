// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/warpgroup_prefill.cuh"

namespace pitwall::cuda {

CUtensorMap map_pages(const KvView& kv) {
  // Every driver of a device that has tensor maps has this.
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  CUtensorMap map{};
  // Lines beyond the pool are never asked for; columns beyond a line are zeros.
  constexpr cuuint64_t kLines = cuuint64_t{1} << 31;
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(kv.padded_dim), kLines};
  const cuuint64_t line_bytes[1] = {2 * sizes[0]};
  const cuuint32_t box[2] = {64, static_cast<cuuint32_t>(kv.block_size)}, steps[2] = {1, 1};
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, kv.numbers, sizes, line_bytes, box, steps,
         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

}  // namespace pitwall::cuda
