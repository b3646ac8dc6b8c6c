// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/kv_format.h"

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/plan/amounts.h"

namespace pitwall {

namespace {

constexpr std::string_view kOwn = "engine/cache/kv_layout.h";
constexpr std::string_view kVllm = "vllm/v1/kv_cache_interface.py at 017e9f4448";
constexpr std::string_view kLlamaCpp = "llama.cpp ggml block formats (32 numbers and a float16 scale)";

struct Alias {
  std::string_view name, means;
};
constexpr Alias kAliases[] = {{"fp16", "float16"},
                              {"f16", "float16"},
                              {"half", "float16"},
                              {"bf16", "bfloat16"},
                              {"fp32", "float32"},
                              {"f32", "float32"},
                              {"fp8", "fp8_e4m3"},
                              {"e4m3", "fp8_e4m3"},
                              {"fp8_e4m3fn", "fp8_e4m3"},
                              {"e5m2", "fp8_e5m2"},
                              {"int8_per_token_head", "int8"}};

}  // namespace

Bytes KvFormat::numbers(std::int64_t count) const {
  return divided_up(capped_product(count, bits), 8);
}

Bytes KvFormat::scales(std::int64_t head_dim) const {
  if (scale_group == 0 || head_dim == 0) return 0;
  return scale_group < 0 ? scale_bytes : capped_product(divided_up(head_dim, scale_group), scale_bytes);
}

Bytes index_key_bytes(int index_dim) {
  constexpr int kGroup = 128, kScale = 4;
  return index_dim + divided_up(index_dim, kGroup) * kScale;
}

const std::vector<KvFormat>& kv_formats() {
  static const std::vector<KvFormat> formats = {
      {.name = "float32", .bits = 32, .here = KvDtype::float32, .source = kOwn},
      {.name = "bfloat16", .bits = 16, .here = KvDtype::bfloat16, .source = kOwn},
      {.name = "float16", .bits = 16, .here = KvDtype::float16, .source = kOwn},
      {.name = "fp8_e4m3", .bits = 8, .here = KvDtype::fp8_e4m3, .source = kOwn},
      {.name = "fp8_e5m2", .bits = 8, .source = kVllm},
      {.name = "int8", .bits = 8, .scale_group = -1, .scale_bytes = 4, .here = KvDtype::int8, .source = kOwn},
      {.name = "fp8_per_token_head", .bits = 8, .scale_group = -1, .scale_bytes = 4, .source = kVllm},
      {.name = "int4",
       .bits = 4,
       .scale_group = -1,
       .scale_bytes = 4,
       .source = "LMDeploy quant-policy 4: float16 scale and zero for each token and head"},
      {.name = "nvfp4", .bits = 4, .scale_group = 16, .scale_bytes = 1, .source = kVllm},
      {.name = "fp8_ds_mla", .bits = 8, .latent_bytes = 656, .source = kVllm},
      {.name = "q8_0", .bits = 8, .scale_group = 32, .scale_bytes = 2, .source = kLlamaCpp},
      {.name = "q5_1", .bits = 5, .scale_group = 32, .scale_bytes = 4, .source = kLlamaCpp},
      {.name = "q5_0", .bits = 5, .scale_group = 32, .scale_bytes = 2, .source = kLlamaCpp},
      {.name = "q4_1", .bits = 4, .scale_group = 32, .scale_bytes = 4, .source = kLlamaCpp},
      {.name = "q4_0", .bits = 4, .scale_group = 32, .scale_bytes = 2, .source = kLlamaCpp},
  };
  return formats;
}

Result<KvFormat> find_kv_format(std::string_view name) {
  std::string_view wanted = name;
  for (const Alias& alias : kAliases) {
    if (alias.name == name) wanted = alias.means;
  }
  if (const KvFormat* format = find_profile(kv_formats(), wanted)) return *format;
  std::string names;
  for (const KvFormat& format : kv_formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return Error{Error::Kind::invalid_input, "KV format " + quote_for_message(name) + " is unknown", "",
               "Take auto or one of these: " + names, "kv-cache-dtype"};
}

}  // namespace pitwall
