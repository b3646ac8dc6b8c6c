// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/kv_layout.h"

namespace pitwall {

std::string_view kv_dtype_name(KvDtype dtype) {
  switch (dtype) {
    case KvDtype::float32:
      return "float32";
    case KvDtype::bfloat16:
      return "bfloat16";
    case KvDtype::float16:
      return "float16";
  }
  return "";
}

int kv_dtype_bytes(KvDtype dtype) {
  return dtype == KvDtype::float32 ? 4 : 2;
}

Bytes KvLayout::bytes_per_block() const {
  Bytes total = 0;
  for (const Layer& layer : layers) {
    total += Bytes{2} * layer.kv_heads * layer.head_dim * block_size * kv_dtype_bytes(dtype);
  }
  return total;
}

}  // namespace pitwall
