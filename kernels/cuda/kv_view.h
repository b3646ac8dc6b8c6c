// SPDX-License-Identifier: GPL-3.0-or-later
// One layer's KV blocks on the device: numbers[block][K|V][kv_head][block_size][padded_dim]; one head's keys
// of a block are contiguous. int8: scales[block][K|V][kv_head][block_size].
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/cache/kv_layout.h"

namespace pitwall::cuda {

struct KvView {
  KvDtype dtype = KvDtype::bfloat16;  ///< bfloat16, float16, fp8_e4m3 or int8
  int kv_heads = 0, head_dim = 0;
  int padded_dim = 0;   ///< head_dim rounded up to 16; the padding is zero
  int block_size = 32;  ///< 16, 32 or 64
  std::byte* numbers = nullptr;
  float* token_scales = nullptr;    ///< int8: number = stored·scale
  const float* k_scales = nullptr;  ///< fp8_e4m3: one per kv head, number = stored·scale
  const float* v_scales = nullptr;
  unsigned long long* saturation = nullptr;  ///< fp8_e4m3: [values written, of those cut at ±448]

  /// Numbers of one block, K and V.
  std::int64_t block_numbers() const { return std::int64_t{2} * kv_heads * block_size * padded_dim; }
};

}  // namespace pitwall::cuda
