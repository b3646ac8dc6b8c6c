// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/reference_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/model/quantized_linear.h"

namespace pitwall::reference {

namespace {

std::size_t size(int n) {
  return static_cast<std::size_t>(n);
}

double activate(double x, Activation activation) {
  switch (activation) {
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::gelu_tanh: {
      constexpr double kSqrt2OverPi = 0.7978845608028654;
      return 0.5 * x * (1 + std::tanh(kSqrt2OverPi * (x + 0.044715 * x * x * x)));
    }
  }
  return x;
}

}  // namespace

std::vector<float> dequantized(const TensorView& weight) {
  std::vector<float> values(static_cast<std::size_t>(weight.rows * weight.columns));
  dequantize_rows(weight, 0, weight.rows, values.data());
  return values;
}

Row linear(std::span<const float> weight, std::span<const float> x, std::span<const float> bias) {
  Row y(weight.size() / x.size());
  for (std::size_t row = 0; row < y.size(); ++row) {
    double sum = bias.empty() ? 0.0 : static_cast<double>(bias[row]);
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(weight[row * x.size() + i]) * x[i];
    y[row] = static_cast<float>(sum);
  }
  return y;
}

Row rms_norm(std::span<const float> x, std::span<const float> weight, float epsilon) {
  double squares = 0;
  for (float value : x) squares += static_cast<double>(value) * value;
  const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  Row y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<float>(x[i] * scale * weight[i]);
  return y;
}

Row gated(std::span<const float> gate, std::span<const float> up, Activation activation) {
  Row y(gate.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(activate(gate[i], activation) * up[i]);
  return y;
}

Row layer_norm(std::span<const float> x, std::span<const float> weight, float epsilon) {
  double total = 0, squares = 0;
  for (float value : x) total += value;
  const double mean = total / static_cast<double>(x.size());
  for (float value : x) squares += (value - mean) * (value - mean);
  const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  Row y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<float>((x[i] - mean) * scale * weight[i]);
  return y;
}

std::vector<Choice> route(std::span<const float> logits, const MoeSpec& spec) {
  double total = 0, chosen = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit));
  std::vector<Choice> choices;
  for (std::size_t e = 0; e < logits.size(); ++e)
    choices.push_back(
        {static_cast<int>(e), static_cast<float>(std::exp(static_cast<double>(logits[e])) / total)});
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.weight > b.weight; });
  choices.resize(size(spec.top_k));
  for (const Choice& choice : choices) chosen += static_cast<double>(choice.weight);
  for (Choice& choice : choices) {
    if (spec.renormalise) choice.weight = static_cast<float>(choice.weight / chosen);
  }
  return choices;
}

void rope(std::span<float> x, int head_dim, const RopeSpec& rope, std::int64_t position, int positions) {
  const int half = rope.rotary_dim / 2;
  const std::vector<double> frequencies = rope_frequencies(rope, positions);
  for (std::size_t head = 0; head < x.size(); head += size(head_dim)) {
    for (int i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * frequencies[size(i)];
      const bool halves = rope.pairing == RopeSpec::Pairing::halves;
      float& a = x[head + size(halves ? i : 2 * i)];
      float& b = x[head + size(halves ? i + half : 2 * i + 1)];
      const double old_a = a, old_b = b;
      const double cosine = rope.attention_factor * std::cos(angle);
      const double sine = rope.attention_factor * std::sin(angle);
      a = static_cast<float>(old_a * cosine - old_b * sine);
      b = static_cast<float>(old_a * sine + old_b * cosine);
    }
  }
}

Row attention(std::span<const float> q, std::span<const float> keys, std::span<const float> values, int n,
              int heads, int kv_heads, int head_dim, float scale, int window, float softcap) {
  Row out(q.size());
  const std::size_t stride = size(kv_heads) * size(head_dim);
  const int first = window > 0 ? std::max(0, n - window) : 0;
  for (int head = 0; head < heads; ++head) {
    const std::size_t query = size(head) * size(head_dim);
    const std::size_t kv = size(head / (heads / kv_heads)) * size(head_dim);
    std::vector<double> scores;
    for (int t = first; t < n; ++t) {
      double dot = 0;
      for (std::size_t i = 0; i < size(head_dim); ++i) {
        dot += static_cast<double>(q[query + i]) * keys[size(t) * stride + kv + i];
      }
      dot *= scale;
      scores.push_back(softcap > 0 ? softcap * std::tanh(dot / softcap) : dot);
    }
    const double maximum = *std::max_element(scores.begin(), scores.end());
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - maximum);
    for (std::size_t i = 0; i < size(head_dim); ++i) {
      double sum = 0;
      for (int t = first; t < n; ++t)
        sum += scores[size(t - first)] / total * values[size(t) * stride + kv + i];
      out[query + i] = static_cast<float>(sum);
    }
  }
  return out;
}

double fp8_e4m3(std::uint8_t code) {
  const int exponent = (code >> 3) & 15, mantissa = code & 7;
  const double sign = code >= 0x80 ? -1 : 1;
  if (exponent == 15 && mantissa == 7) return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(mantissa / 8.0, -6);
  return sign * std::ldexp(1 + mantissa / 8.0, exponent - 7);
}

std::uint8_t fp8_e4m3_code(float x) {
  constexpr int kNan = 0x7F;
  const int sign = std::signbit(x) ? 0x80 : 0;
  int nearest = std::isnan(x) ? kNan : 0;
  for (int code = 1; code < kNan && nearest != kNan; ++code) {
    const double magnitude = std::fabs(static_cast<double>(x));
    const double distance = std::fabs(magnitude - fp8_e4m3(static_cast<std::uint8_t>(code)));
    const double before = std::fabs(magnitude - fp8_e4m3(static_cast<std::uint8_t>(nearest)));
    if (std::isinf(x) || distance < before || (distance == before && code % 2 == 0)) nearest = code;
  }
  return static_cast<std::uint8_t>(sign | nearest);
}

Row stored_kv(std::span<const float> head, KvDtype dtype, float scale) {
  float largest = 0;
  for (float x : head) largest = std::max(largest, std::fabs(x));
  const float token_scale = largest / 127;
  Row stored;
  for (float x : head) {
    switch (dtype) {
      case KvDtype::float32:
        stored.push_back(x);
        break;
      case KvDtype::bfloat16:
        stored.push_back(bfloat_to_float(float_to_bfloat(x)));
        break;
      case KvDtype::float16:
        stored.push_back(half_to_float(float_to_half(x)));
        break;
      case KvDtype::fp8_e4m3:
        stored.push_back(static_cast<float>(fp8_e4m3(fp8_e4m3_code(x / scale))) * scale);
        break;
      case KvDtype::int8:
        stored.push_back(largest > 0 ? std::nearbyint(x / token_scale) * token_scale : 0);
        break;
    }
  }
  return stored;
}

}  // namespace pitwall::reference
