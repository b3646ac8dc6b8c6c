// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/tensor_map.h"
#include "kernels/cuda/warpgroup_prefill.cuh"

namespace pitwall::cuda {

CUtensorMap map_pages(const KvView& kv) {
  constexpr std::int64_t kLines = std::int64_t{1} << 31;  // those beyond the pool are never asked for
  return map_panels(kv.numbers, kLines, kv.padded_dim, kv.padded_dim, kv.block_size);
}

}  // namespace pitwall::cuda
