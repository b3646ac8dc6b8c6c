// SPDX-License-Identifier: GPL-3.0-or-later
// How KV lies in memory: one pool, blocks of block_size tokens, each block holding K and V of every layer.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/units.h"

namespace pitwall {

/// fp8_e4m3 (OCP OFP8: 4 exponent bits, 3 mantissa bits, ±448, no infinities) with one fixed scale per layer
/// and kv head; int8 with one float32 scale per token and kv head, chosen when the token is written.
enum class KvDtype : std::uint8_t { float32, bfloat16, float16, fp8_e4m3, int8 };
std::string_view kv_dtype_name(KvDtype dtype);
std::optional<KvDtype> find_kv_dtype(std::string_view name);
int kv_dtype_bytes(KvDtype dtype);        ///< of one number, scales left out
int kv_dtype_scale_bytes(KvDtype dtype);  ///< for each token and kv head, K and V each

/// K and V of layer l in block b: [kv_heads][block_size][head_dim], so that one head's keys of a block are
/// contiguous. A back end may order the numbers of one head and block as its kernels like: the CPU keeps keys
/// as [head_dim][block_size]. int8 keeps a head's block_size scales behind its numbers.
struct KvLayout {
  struct Layer {
    int kv_heads = 0, head_dim = 0;
    /// fp8_e4m3: number = stored·scale, one per kv head, finite and above 0; empty = 1.
    std::vector<float> k_scales = {}, v_scales = {};
  };
  KvDtype dtype = KvDtype::bfloat16;
  int block_size = 32;  ///< tokens: 16, 32 or 64
  std::vector<Layer> layers;
  Bytes bytes_per_head(int head_dim) const;  ///< one head's K, or V, of a block: numbers and scales
  /// Σ layers 2·kv_heads·block_size·(head_dim·dtype bytes + scale bytes)
  Bytes bytes_per_block() const;
  Bytes bytes_per_token() const { return bytes_per_block() / block_size; }
};

}  // namespace pitwall
