// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/hf_quantization.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace pitwall {

using nlohmann::json;

namespace {

/// compressed-tensors without a group of weights: the checkpoint brings scales for fp8 KV and is plain
/// otherwise.
bool quantises_kv_alone(const json& quantization) {
  if (!quantization.is_object() || quantization.value("quant_method", json()) != "compressed-tensors")
    return false;
  const json groups = quantization.value("config_groups", json());
  const json kv = quantization.value("kv_cache_scheme", json());
  return (groups.is_null() || (groups.is_object() && groups.empty())) && kv.is_object() &&
         kv.value("type", json()) == "float" && kv.value("num_bits", json()) == 8;
}

}  // namespace

Result<std::unique_ptr<const WeightAssembler>> make_weight_assembler(const json& config,
                                                                     const std::filesystem::path&) {
  const json quantization = config.value("quantization_config", json());
  if (quantization.is_null() || quantises_kv_alone(quantization)) return {nullptr};
  const json method = quantization.is_object() ? quantization.value("quant_method", json()) : json();
  return Error{Error::Kind::unsupported,
               fmt::format("The weights are quantised with {}, which is not supported yet",
                           method.dump(-1, ' ', true, json::error_handler_t::replace)),
               "", "Choose a model that is not quantised, or a GGUF file", "quantization_config"};
}

}  // namespace pitwall
