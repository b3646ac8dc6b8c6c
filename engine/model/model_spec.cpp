// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/model_spec.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include "engine/model/tensor_type.h"

namespace pitwall {

namespace {

// One multiplication of widths is an int everywhere in the forward.
constexpr std::int64_t kMaxWidth = std::numeric_limits<std::int32_t>::max();

Error wrong(std::string what, std::string cause = {}) {
  return {Error::Kind::invalid_input, std::move(what), std::move(cause), "Check the model's configuration",
          ""};
}

Result<void> check_rope(const RopeSpec& rope, int head_dim) {
  if (rope.rotary_dim <= 0 || rope.rotary_dim % 2 != 0 || rope.rotary_dim > head_dim) {
    return wrong(fmt::format("The rotary dimension is {}; it must be even, from 2 to the head's {}",
                             rope.rotary_dim, head_dim));
  }
  if (!std::isfinite(rope.theta) || rope.theta <= 0) {
    return wrong(fmt::format("The rotary base is {}; it must be above 0", rope.theta));
  }
  return {};
}

Result<void> check_attention(const AttentionSpec& attention) {
  if (attention.heads <= 0 || attention.kv_heads <= 0 || attention.head_dim <= 0) {
    return wrong(
        fmt::format("Attention has {} heads, {} KV heads and a head dimension of {}; all must be at least 1",
                    attention.heads, attention.kv_heads, attention.head_dim));
  }
  if (attention.heads % attention.kv_heads != 0) {
    return wrong(fmt::format("{} attention heads cannot share {} KV heads evenly", attention.heads,
                             attention.kv_heads));
  }
  if (std::int64_t{attention.heads} * attention.head_dim > kMaxWidth) {
    return wrong(
        fmt::format("{} heads of {} are wider than {}", attention.heads, attention.head_dim, kMaxWidth));
  }
  if (!std::isfinite(attention.scale)) return wrong("The attention scale is not a finite number");
  if (attention.window && *attention.window <= 0) {
    return wrong(fmt::format("The sliding window is {}; it must be at least 1", *attention.window));
  }
  return check_rope(attention.rope, attention.head_dim);
}

Result<void> check_layer(const LayerSpec& layer) {
  if (layer.mlp.intermediate <= 0) {
    return wrong(fmt::format("The feed-forward width is {}; it must be at least 1", layer.mlp.intermediate));
  }
  return check_attention(layer.attention);
}

}  // namespace

std::vector<double> rope_frequencies(const RopeSpec& rope) {
  std::vector<double> frequencies;
  for (int i = 0; i < rope.rotary_dim / 2; ++i) {
    const double exact = std::pow(rope.theta, -2.0 * i / rope.rotary_dim);
    const bool rounded = rope.frequencies == RopeSpec::Frequencies::bfloat16;
    frequencies.push_back(rounded ? bfloat_to_float(float_to_bfloat(static_cast<float>(exact))) : exact);
  }
  return frequencies;
}

Bytes ModelSpec::kv_bytes_per_token(int element_bytes) const {
  Bytes bytes = 0;
  for (const LayerSpec& layer : layers) {
    bytes += Bytes{2} * layer.attention.kv_heads * layer.attention.head_dim * element_bytes;
  }
  return bytes;
}

Result<void> ModelSpec::check() const {
  if (hidden <= 0 || vocabulary <= 0 || context_length <= 0) {
    return wrong(fmt::format("Hidden width {}, vocabulary {} and context length {} must all be at least 1",
                             hidden, vocabulary, context_length));
  }
  if (layers.empty()) return wrong("The model has 0 layers");
  if (!std::isfinite(norm_epsilon) || norm_epsilon <= 0) {
    return wrong(fmt::format("The norm's epsilon is {}; it must be above 0", norm_epsilon));
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (auto checked = check_layer(layers[i]); !checked.ok()) {
      Error error = checked.error();
      error.what = fmt::format("Layer {}: {}", i, error.what);
      return error;
    }
  }
  return {};
}

}  // namespace pitwall
