// SPDX-License-Identifier: GPL-3.0-or-later
// The number formats that engines keep KV in, with the bytes of their scales. Wider than KvDtype: this engine
// stores some of them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/cache/kv_layout.h"

namespace pitwall {

struct KvFormat {
  std::string_view name;  ///< "fp8_e4m3"
  int bits = 16;          ///< of a number, scales left out
  int scale_group = 0;    ///< numbers of a head that share a scale; 0 = none, −1 = all of the head's
  int scale_bytes = 0;    ///< of each such group: scale and zero
  int latent_bytes = 0;   ///< of a whole latent row (MLA); 0 = as other numbers
  std::optional<KvDtype> here = {};           ///< how this engine stores it
  std::string_view source = {};               ///< where its layout is defined
  Bytes numbers(std::int64_t count) const;    ///< of `count` numbers
  Bytes scales(std::int64_t head_dim) const;  ///< of one head's K, or V, of a token
  Bytes head(std::int64_t head_dim) const { return numbers(head_dim) + scales(head_dim); }
  Bytes latent(std::int64_t dim) const { return latent_bytes > 0 ? latent_bytes : head(dim); }
};

/// Bytes of one sparse-attention key of `index_dim` numbers: fp8 with a float32 scale for each 128, whatever
/// the format of KV (vllm/v1/kv_cache_interface.py and DeepSeek-V3.2's indexer).
Bytes index_key_bytes(int index_dim);

const std::vector<KvFormat>& kv_formats();

/// Also by other engines' words: fp16, half, bf16, fp8, f16 … The error lists the names.
Result<KvFormat> find_kv_format(std::string_view name);

}  // namespace pitwall
