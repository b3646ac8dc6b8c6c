// SPDX-License-Identifier: GPL-3.0-or-later
// The architectures of GGUF files (`general.architecture`): what llama.cpp's loader takes for granted about
// each and what differs from layer to layer. A new architecture is a row here.
#pragma once
#include <string_view>
#include <vector>

#include "engine/model/gguf_keys.h"
#include "engine/model/model_spec.h"
#include "engine/model/weight_binding.h"

namespace pitwall {

struct GgufFamily {
  std::string_view name;
  NormSpec::Kind norm = NormSpec::Kind::rms;
  RopeSpec::Pairing pairing = RopeSpec::Pairing::halves;
  Activation activation = Activation::silu;
  bool post_norms = false, parallel = false;
  bool gate_in_up = false;  ///< ffn_up holds gate and up
  bool renormalises_experts = true;
  /// Keys that are honoured beyond those that every family has; see gguf_config.cpp.
  std::vector<std::string_view> honours = {};
  /// What else the keys say; the layers stand already.
  void (*refine)(const GgufKeys& keys, ModelSpec& spec) = nullptr;
};

const GgufFamily* find_gguf_family(std::string_view architecture);  ///< nullptr when unknown
std::vector<std::string_view> gguf_architectures();
TensorNames gguf_tensor_names(const GgufFamily& family);

}  // namespace pitwall
