// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/kv_choice.h"

#include <algorithm>

#include "engine/base/units.h"

namespace pitwall {

namespace {

std::string unused_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text = "Scales in the checkpoint that are not used: ";
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kShown) {
    text += " and " + format_count(static_cast<std::int64_t>(names.size() - kShown)) + " more";
  }
  return text;
}

}  // namespace

KvChoice choose_kv(const Model& model, KvDtype dtype, int block_size) {
  KvChoice choice;
  choice.layout.dtype = dtype;
  choice.layout.block_size = block_size;
  std::size_t without_scales = 0;
  for (std::size_t i = 0; i < model.spec().layers.size(); ++i) {
    const AttentionSpec& attention = model.spec().layers[i].attention;
    const LayerWeights& weights = model.weights().layers[i];
    KvLayout::Layer layer{attention.kv_heads, attention.head_dim};
    if (dtype == KvDtype::fp8_e4m3) {
      layer.k_scales = weights.k_scales;
      layer.v_scales = weights.v_scales;
      if (layer.k_scales.empty() || layer.v_scales.empty()) ++without_scales;
    }
    choice.layout.layers.push_back(std::move(layer));
  }
  if (without_scales > 0) {
    choice.warnings.push_back(
        "The checkpoint lacks KV scales for " + std::to_string(without_scales) + " of " +
        std::to_string(choice.layout.layers.size()) +
        " layers: fp8_e4m3 uses 1.0 there, cuts numbers beyond 448, and replies may get worse");
  }
  if (!model.unused_scales().empty()) choice.warnings.push_back(unused_text(model.unused_scales()));
  return choice;
}

}  // namespace pitwall
