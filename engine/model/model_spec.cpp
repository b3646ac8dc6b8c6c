// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/model_spec.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace pitwall {

namespace {

// One multiplication of widths is an int everywhere in the forward.
constexpr std::int64_t kMaxWidth = std::numeric_limits<std::int32_t>::max();

Error wrong(std::string what, std::string cause = {}) {
  return {Error::Kind::invalid_input, std::move(what), std::move(cause), "Check the model's configuration",
          ""};
}

Result<void> check_attention(const AttentionSpec& attention) {
  if (attention.heads <= 0 || attention.kv_heads <= 0 || attention.head_dim <= 0) {
    return wrong(
        fmt::format("Attention has {} heads, {} KV heads and a head dimension of {}; all must be at least 1",
                    attention.heads, attention.kv_heads, attention.head_dim));
  }
  constexpr int kMostHeadNumbers = 4096;  // far above any model, and a bound on rotary factors by dimension
  if (attention.head_dim > kMostHeadNumbers) {
    return wrong(
        fmt::format("The head dimension is {}; it must be at most {}", attention.head_dim, kMostHeadNumbers));
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
  if (!std::isfinite(attention.softcap) || attention.softcap < 0)
    return wrong(fmt::format("The cap of attention scores is {}; it must be above 0", attention.softcap));
  return attention.rope ? check_rope(*attention.rope, attention.head_dim) : Result<void>();
}

Result<void> check_moe(const MoeSpec& moe) {
  if (moe.experts <= 0 || moe.intermediate <= 0 || moe.shared_intermediate < 0) {
    return wrong(
        fmt::format("{} experts of width {} and a shared one of {}; the first two must be at least 1",
                    moe.experts, moe.intermediate, moe.shared_intermediate));
  }
  if (moe.top_k <= 0 || moe.top_k > moe.experts) {
    return wrong(fmt::format("{} of {} experts are chosen; it must be 1 up to all", moe.top_k, moe.experts));
  }
  return {};
}

Result<void> check_layer(const LayerSpec& layer) {
  if (layer.mlp.moe) {
    if (auto ok = check_moe(*layer.mlp.moe); !ok) return ok;
  } else if (layer.mlp.intermediate <= 0) {
    return wrong(fmt::format("The feed-forward width is {}; it must be at least 1", layer.mlp.intermediate));
  }
  if (layer.parallel && (layer.mlp.moe || layer.post_norms))
    return wrong("Attention beside the MLP goes with neither experts nor norms after them");
  return check_attention(layer.attention);
}

}  // namespace

Bytes ModelSpec::kv_bytes_per_token(int element_bytes) const {
  Bytes bytes = 0;
  for (const LayerSpec& layer : layers) {
    bytes += Bytes{2} * layer.attention.kv_heads * layer.attention.head_dim * element_bytes;
  }
  return bytes;
}

int ModelSpec::rope_switch(int positions) const {
  int length = 0;
  for (const LayerSpec& layer : layers) {
    const int of_layer = layer.attention.rope ? layer.attention.rope->switch_length() : 0;
    if (of_layer > 0 && of_layer < positions) length = of_layer;
  }
  return length;
}

Result<void> ModelSpec::check() const {
  if (hidden <= 0 || vocabulary <= 0 || context_length <= 0) {
    return wrong(fmt::format("Hidden width {}, vocabulary {} and context length {} must all be at least 1",
                             hidden, vocabulary, context_length));
  }
  if (layers.empty()) return wrong("The model has 0 layers");
  if (!std::isfinite(norm.epsilon) || norm.epsilon <= 0) {
    return wrong(fmt::format("The norm's epsilon is {}; it must be above 0", norm.epsilon));
  }
  for (const float factor : {embedding_scale, residual_scale, logit_scale}) {
    if (!std::isfinite(factor) || factor == 0)
      return wrong(fmt::format("A scale of the model is {}; it must be a number other than 0", factor));
  }
  if (!std::isfinite(logit_softcap) || logit_softcap < 0)
    return wrong(fmt::format("The cap of the logits is {}; it must be above 0", logit_softcap));
  int switches = 0;
  for (const LayerSpec& layer : layers) {
    const int length = layer.attention.rope ? layer.attention.rope->switch_length() : 0;
    if (length > 0 && switches > 0 && length != switches)
      return wrong(
          fmt::format("Layers change their rotary frequencies at {} and at {} tokens", switches, length));
    if (length > 0) switches = length;
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
