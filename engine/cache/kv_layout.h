// SPDX-License-Identifier: GPL-3.0-or-later
// How KV lies in memory: one pool, blocks of block_size tokens, each block holding K and V of every layer.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/units.h"

namespace pitwall {

enum class KvDtype : std::uint8_t { float32, bfloat16, float16 };
std::string_view kv_dtype_name(KvDtype dtype);
int kv_dtype_bytes(KvDtype dtype);

/// K and V of layer l in block b: [kv_heads][block_size][head_dim], so that one head's keys of a block are
/// contiguous. A back end may order the numbers of one head and block as its kernels like: the CPU keeps keys
/// as [head_dim][block_size].
struct KvLayout {
  struct Layer {
    int kv_heads = 0, head_dim = 0;
  };
  KvDtype dtype = KvDtype::bfloat16;
  int block_size = 32;  ///< tokens: 16, 32 or 64
  std::vector<Layer> layers;
  Bytes bytes_per_block() const;  ///< Σ layers 2·kv_heads·head_dim·block_size·dtype bytes
  Bytes bytes_per_token() const { return bytes_per_block() / block_size; }
};

}  // namespace pitwall
