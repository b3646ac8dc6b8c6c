// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/kv_scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/text_escape.h"
#include "engine/model/quantized_linear.h"

namespace pitwall {

namespace {

using ScaleNames = std::array<std::string_view, 4>;
constexpr ScaleNames kKeyNames = {"self_attn.attn.k_scale", "self_attn.k_scale", "self_attn.k_proj.k_scale",
                                  "self_attn.k_proj.output_scale"};
constexpr ScaleNames kValueNames = {"self_attn.attn.v_scale", "self_attn.v_scale", "self_attn.v_proj.v_scale",
                                    "self_attn.v_proj.output_scale"};

Error bad_scale(std::size_t layer, const std::string& tensor, const std::string& what) {
  return {Error::Kind::invalid_input,
          fmt::format("layer {}: KV scale {} {}", layer, quote_for_message(tensor), what),
          "KV scales are finite numbers above 0, one or one for each kv head",
          "Fetch or calibrate the model again", tensor};
}

Result<std::vector<float>> scales_of(std::size_t layer, const TensorView& view, int kv_heads) {
  const std::int64_t count = view.rows * view.columns;
  if (count != 1 && count != kv_heads) {
    return bad_scale(layer, view.name,
                     fmt::format("holds {} numbers, the layer has {} kv heads", count, kv_heads));
  }
  std::vector<float> scales(static_cast<std::size_t>(count));
  dequantize_rows(view, 0, view.rows, scales.data());
  for (const float scale : scales) {
    if (!(scale > 0) || !std::isfinite(scale))
      return bad_scale(layer, view.name, fmt::format("is {}", scale));
  }
  if (count == 1) scales.assign(static_cast<std::size_t>(kv_heads), scales.front());
  return scales;
}

Result<std::vector<float>> read_layer(std::size_t layer, int kv_heads, const ScaleNames& suffixes,
                                      const TensorNames& names, WeightBinder& binder) {
  std::vector<float> scales;
  for (const std::string_view suffix : suffixes) {
    const std::string name = names.tensor_of_layer(layer, suffix);
    if (!binder.has(name)) continue;
    if (!scales.empty()) return bad_scale(layer, name, "stands beside another one for the same numbers");
    auto read = scales_of(layer, binder.beside_weights(name), kv_heads);
    if (!read) return read;
    scales = *std::move(read);
  }
  return scales;
}

}  // namespace

Result<void> read_kv_scales(const ModelSpec& spec, const TensorNames& names, WeightBinder& binder,
                            ModelWeights& weights) {
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const int kv_heads = spec.layers[i].attention.kv_heads;
    auto k = read_layer(i, kv_heads, kKeyNames, names, binder);
    if (!k) return k.error();
    auto v = read_layer(i, kv_heads, kValueNames, names, binder);
    if (!v) return v.error();
    weights.layers[i].k_scales = *std::move(k);
    weights.layers[i].v_scales = *std::move(v);
  }
  return {};
}

std::vector<std::string> ignore_unknown_scales(WeightBinder& binder) {
  std::vector<std::string> unknown = binder.ignore_if([](std::string_view name) {
    for (const std::string_view suffix : {".input_scale", ".activation_scale", ".input_scale_ub"}) {
      if (name.ends_with(suffix)) return true;  // of activations, which are not quantised here
    }
    return name.find(".self_attn.") != std::string_view::npos && name.ends_with("_scale") &&
           !name.ends_with(".weight_scale");
  });
  std::sort(unknown.begin(), unknown.end());
  return unknown;
}

}  // namespace pitwall
