// SPDX-License-Identifier: GPL-3.0-or-later
// What is done to one row of activations: norm, quantisation, gate, rotation, narrowing for KV.
#pragma once
#include <cmath>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/scalar_convert.h"

namespace pitwall {

/// exp in every lane, relative error below 2e-7 on [−87.3, 88.3]; below that range 0, above it the value at
/// its end.
template <class S>
typename S::F vector_exp(typename S::F x) {
  using F = typename S::F;
  constexpr float kLowest = -87.3f, kHighest = 88.3f;
  const F clamped = S::min(S::max(x, S::broadcast(kLowest)), S::broadcast(kHighest));
  // x = n·ln2 + r, |r| ≤ ln2/2; ln2 in two parts so that n·ln2 is exact to float
  const auto n = S::round_to_int(S::mul(clamped, S::broadcast(1.44269504f)));
  const F exponent = S::to_float(n);
  F r = S::fma(exponent, S::broadcast(-0.693359375f), clamped);
  r = S::fma(exponent, S::broadcast(2.12194440e-4f), r);
  F p = S::broadcast(1.0f / 5040);  // Taylor to r⁷: the rest is below 2e-8
  p = S::fma(p, r, S::broadcast(1.0f / 720));
  p = S::fma(p, r, S::broadcast(1.0f / 120));
  p = S::fma(p, r, S::broadcast(1.0f / 24));
  p = S::fma(p, r, S::broadcast(1.0f / 6));
  p = S::fma(p, r, S::broadcast(0.5f));
  p = S::fma(p, r, S::broadcast(1.0f));
  p = S::fma(p, r, S::broadcast(1.0f));
  return S::zero_where_below(S::mul(p, S::power_of_two(n)), x, kLowest);
}

/// cap·tanh(x/cap) as cap·(1 − 2/(1 + exp(2x/cap))): its error is that of exp times cap.
template <class S>
typename S::F vector_softcap(typename S::F x, float cap) {
  const auto one = S::broadcast(1.0f);
  const auto e = vector_exp<S>(S::mul(x, S::broadcast(2.0f / cap)));
  const auto rest = S::div(S::broadcast(-2.0f), S::add(one, e));
  return S::mul(S::add(one, rest), S::broadcast(cap));
}

template <class S>
struct RowKernels {
  using F = typename S::F;

  /// Calls body(index, lanes) over [0, count): whole vectors, then one part of a vector.
  template <class Body>
  static void over(int count, const Body& body) {
    int i = 0;
    for (; i + S::kLanes <= count; i += S::kLanes) body(i, S::kLanes);
    if (i < count) body(i, count - i);
  }
  static F load(const float* x, int lanes) {
    return lanes == S::kLanes ? S::load(x) : S::load_part(x, lanes);
  }
  static void store(float* x, F value, int lanes) {
    if (lanes == S::kLanes) {
      S::store(x, value);
    } else {
      S::store_part(x, value, lanes);
    }
  }

  static void rms_norm(const float* x, const float* weight, float epsilon, int columns, float* out) {
    F squares = S::zero();
    over(columns, [&](int i, int lanes) {
      const F value = load(x + i, lanes);
      squares = S::fma(value, value, squares);
    });
    const float mean = S::sum(squares) / static_cast<float>(columns);
    const F scale = S::broadcast(1.0f / std::sqrt(mean + epsilon));
    over(columns, [&](int i, int lanes) {
      store(out + i, S::mul(S::mul(load(x + i, lanes), scale), load(weight + i, lanes)), lanes);
    });
  }

  static void layer_norm(const float* x, const float* weight, float epsilon, int columns, float* out) {
    F total = S::zero();
    over(columns, [&](int i, int lanes) { total = S::add(total, load(x + i, lanes)); });
    const float mean = S::sum(total) / static_cast<float>(columns);
    const F shift = S::broadcast(-mean);
    F squares = S::zero();
    int i = 0;
    for (; i + S::kLanes <= columns; i += S::kLanes) {
      const F centred = S::add(S::load(x + i), shift);
      squares = S::fma(centred, centred, squares);
    }
    float variance = S::sum(squares);
    for (; i < columns; ++i) variance += (x[i] - mean) * (x[i] - mean);
    const F scale = S::broadcast(1.0f / std::sqrt(variance / static_cast<float>(columns) + epsilon));
    over(columns, [&](int at, int lanes) {
      const F centred = S::add(load(x + at, lanes), shift);
      store(out + at, S::mul(S::mul(centred, scale), load(weight + at, lanes)), lanes);
    });
  }

  static void softcap(float* x, int count, float cap) {
    over(count, [&](int i, int lanes) { store(x + i, vector_softcap<S>(load(x + i, lanes), cap), lanes); });
  }

  static void quantize(const float* x, int columns, ActivationBlock* out) {
    constexpr int kVectors = kQuantBlock / S::kLanes;
    for (int block = 0; block < columns / kQuantBlock; ++block, x += kQuantBlock, ++out) {
      F largest = S::zero();
      for (int v = 0; v < kVectors; ++v) largest = S::max(largest, S::abs(S::load(x + v * S::kLanes)));
      const float most = S::max_across(largest);
      out->scale = most / (127.0f * 256.0f);
      const F inverse = S::broadcast(most > 0 ? 127.0f / most : 0.0f);
      std::int32_t high_sum = 0, low_sum = 0;
      for (int v = 0; v < kVectors; ++v) {
        const F scaled = S::mul(S::load(x + v * S::kLanes), inverse);
        const auto high = S::round_to_int(scaled);
        const F rest = S::fma(S::to_float(high), S::broadcast(-1.0f), scaled);
        const F digit =
            S::min(S::max(S::mul(rest, S::broadcast(256.0f)), S::broadcast(-127.0f)), S::broadcast(127.0f));
        const auto low = S::round_to_int(digit);
        S::store_bytes(out->high + v * S::kLanes, high);
        S::store_bytes(out->low + v * S::kLanes, low);
        high_sum += S::sum(high);
        low_sum += S::sum(low);
        if (2 * (v + 1) == kVectors) out->first_sum = 256 * high_sum + low_sum;
      }
      out->sum = 256 * high_sum + low_sum;
      out->scaled_sum = out->scale * static_cast<float>(out->sum);
    }
  }

  static F sigmoid_times(F x, F argument) {  // x / (1 + exp(−argument))
    const F e = vector_exp<S>(S::mul(argument, S::broadcast(-1.0f)));
    return S::div(x, S::add(S::broadcast(1.0f), e));
  }
  /// tanh-GELU is x·sigmoid(2u) with u = sqrt(2/π)·(x + 0.044715·x³).
  static F gelu_tanh(F x) {
    const F cubic = S::fma(S::mul(S::mul(x, x), S::broadcast(0.044715f)), x, x);
    return sigmoid_times(x, S::mul(cubic, S::broadcast(1.5957691216f)));
  }

  static void gate(Activation activation, const float* gate, const float* up, int count, float* out) {
    over(count, [&](int i, int lanes) {
      const F x = load(gate + i, lanes);
      const F active = activation == Activation::silu ? sigmoid_times(x, x) : gelu_tanh(x);
      store(out + i, S::mul(active, load(up + i, lanes)), lanes);
    });
  }

  static void rope(const RopeTask& task) {
    const int half = task.rotary_dim / 2;
    for (int head = 0; head < task.heads; ++head) {
      float* x = task.x + head * task.head_dim;
      if (task.pairing == RopeSpec::Pairing::halves) {
        for (int i = 0; i < half; ++i) rotate(x[i], x[i + half], task.cosine[i], task.sine[i]);
      } else {
        for (int i = 0; i < half; ++i) rotate(x[2 * i], x[2 * i + 1], task.cosine[i], task.sine[i]);
      }
    }
  }
  [[gnu::always_inline]] static inline void rotate(float& a, float& b, float cosine, float sine) {
    const float turned = a * cosine - b * sine;
    b = a * sine + b * cosine;
    a = turned;
  }

  static void to_half(const float* x, int count, std::uint16_t* out) {
    int i = 0;
    for (; i + S::kLanes <= count; i += S::kLanes) S::store_half(out + i, S::load(x + i));
    for (; i < count; ++i) out[i] = float_to_half_bits(x[i]);
  }
  static void to_bfloat(const float* x, int count, std::uint16_t* out) {
    for (int i = 0; i < count; ++i) out[i] = float_to_bfloat_bits(x[i]);
  }
  static int to_fp8(const float* x, int count, float scale, std::uint8_t* out) {
    std::int32_t saturated = 0;
    for (int i = 0; i < count; ++i) {
      const float scaled = x[i] / scale;
      const std::int32_t magnitude = magnitude_bits(scaled);
      out[i] = float_to_fp8_bits(scaled);
      saturated += magnitude > kFp8LargestBits && magnitude <= kInfinityBits ? 1 : 0;
    }
    return saturated;
  }
  static float to_int8(const float* x, int count, std::int8_t* out) {
    std::int32_t largest = 0;
    for (int i = 0; i < count; ++i) {
      const std::int32_t magnitude = magnitude_bits(x[i]);
      largest = magnitude > largest ? magnitude : largest;
    }
    const float scale = bits_to_float(static_cast<std::uint32_t>(largest)) / 127.0f;
    if (largest >= kInfinityBits || !(scale > 0)) {
      for (int i = 0; i < count; ++i) out[i] = 0;
      return largest >= kInfinityBits ? __builtin_nanf("") : 0.0f;
    }
    constexpr float kShift = 12582912.0f;  // 1.5·2²³: adding it rounds the fraction away
    for (int i = 0; i < count; ++i) {
      const float scaled = x[i] / scale;  // beyond ±127 only where the scale is a coarse subnormal
      const float capped = scaled > 127.0f ? 127.0f : scaled < -127.0f ? -127.0f : scaled;
      out[i] = static_cast<std::int8_t>(static_cast<std::int32_t>((capped + kShift) - kShift));
    }
    return scale;
  }
};

}  // namespace pitwall
