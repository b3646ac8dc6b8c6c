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
    case KvDtype::fp8_e4m3:
      return "fp8_e4m3";
    case KvDtype::int8:
      return "int8";
  }
  return "";
}

std::optional<KvDtype> find_kv_dtype(std::string_view name) {
  for (KvDtype dtype :
       {KvDtype::float32, KvDtype::bfloat16, KvDtype::float16, KvDtype::fp8_e4m3, KvDtype::int8}) {
    if (name == kv_dtype_name(dtype)) return dtype;
  }
  return std::nullopt;
}

int kv_dtype_bytes(KvDtype dtype) {
  switch (dtype) {
    case KvDtype::float32:
      return 4;
    case KvDtype::bfloat16:
    case KvDtype::float16:
      return 2;
    case KvDtype::fp8_e4m3:
    case KvDtype::int8:
      return 1;
  }
  return 0;
}

int kv_dtype_scale_bytes(KvDtype dtype) {
  return dtype == KvDtype::int8 ? 4 : 0;
}

Bytes KvLayout::bytes_per_head(int head_dim) const {
  return Bytes{block_size} * (Bytes{head_dim} * kv_dtype_bytes(dtype) + kv_dtype_scale_bytes(dtype));
}

Bytes KvLayout::bytes_per_block() const {
  Bytes total = 0;
  for (const Layer& layer : layers) {
    total += Bytes{2} * layer.kv_heads * bytes_per_head(layer.head_dim);
  }
  return total;
}

}  // namespace pitwall
