// SPDX-License-Identifier: GPL-3.0-or-later
// The portable vectors: plain loops over a tile's 16 rows. What a vector type must offer the kernel families
// is read here; simd_avx2.h and simd_avx512.h say the same in intrinsics. Sums across lanes are taken in one
// fixed order.
#pragma once
#include <cstdint>
#include <cstring>

#include "kernels/cpu/scalar_convert.h"

namespace pitwall {

struct SimdPortable {
  static constexpr int kLanes = 16;
  static constexpr int kRowsAtOnce = 4;  ///< activation rows against a tile that the registers hold
  struct F {                             ///< floats
    float v[kLanes];
  };
  struct I {  ///< 32-bit integers
    std::int32_t v[kLanes];
  };
  struct B {  ///< bytes: four neighbouring columns of each lane's row
    std::uint8_t v[4 * kLanes];
  };
  using Signed = B;  ///< signed bytes in the form that dot_signed wants: weight + kSignedBias
  static constexpr std::int32_t kSignedBias = 0;

  static F zero() { return broadcast(0); }
  static F broadcast(float x) {
    return map([=](int) { return x; });
  }
  static F load(const float* x) {
    return map([=](int i) { return x[i]; });
  }
  static F load_part(const float* x, int count) {  ///< the first `count` lanes, the others 0
    return map([=](int i) { return i < count ? x[i] : 0.0f; });
  }
  static F load_half(const std::uint16_t* x) {
    return map([=](int i) { return half_bits_to_float(x[i]); });
  }
  static F load_bfloat(const std::uint16_t* x) {
    return map([=](int i) { return bfloat_bits_to_float(x[i]); });
  }
  static constexpr float kFp8Unit = 1;
  static F load_fp8(const std::uint8_t* x) {  ///< fp8_e4m3 numbers over kFp8Unit
    return map([=](int i) { return fp8_bits_to_float(x[i]); });
  }
  static F load_int8(const std::int8_t* x) {
    return map([=](int i) { return static_cast<float>(x[i]); });
  }
  static void store(float* x, F a) {
    for (int i = 0; i < kLanes; ++i) x[i] = a.v[i];
  }
  static void store_part(float* x, F a, int count) {
    for (int i = 0; i < count; ++i) x[i] = a.v[i];
  }
  static void store_half(std::uint16_t* x, F a) {
    for (int i = 0; i < kLanes; ++i) x[i] = float_to_half_bits(a.v[i]);
  }

  static F add(F a, F b) {
    return map([&](int i) { return a.v[i] + b.v[i]; });
  }
  static F mul(F a, F b) {
    return map([&](int i) { return a.v[i] * b.v[i]; });
  }
  static F div(F a, F b) {
    return map([&](int i) { return a.v[i] / b.v[i]; });
  }
  static F fma(F a, F b, F c) {  ///< a·b + c
    return map([&](int i) { return a.v[i] * b.v[i] + c.v[i]; });
  }
  static F max(F a, F b) {
    return map([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
  }
  static F min(F a, F b) {
    return map([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
  }
  static F abs(F a) {
    return map([&](int i) { return a.v[i] < 0 ? -a.v[i] : a.v[i]; });
  }
  static F zero_where_below(F value, F a, float bound) {  ///< value, but 0 in lanes where a < bound
    return map([&](int i) { return a.v[i] < bound ? 0.0f : value.v[i]; });
  }
  static float sum(F a) {
    return fold(a, [](float x, float y) { return x + y; });
  }
  static float max_across(F a) {
    return fold(a, [](float x, float y) { return x > y ? x : y; });
  }

  static I round_to_int(F a) {  ///< to nearest; |a| < 2²²
    I result;
    constexpr float kShift = 12582912.0f;  // 1.5·2²³: adding it rounds the fraction away
    for (int i = 0; i < kLanes; ++i) result.v[i] = static_cast<std::int32_t>((a.v[i] + kShift) - kShift);
    return result;
  }
  static F to_float(I a) {
    return map([&](int i) { return static_cast<float>(a.v[i]); });
  }
  static F power_of_two(I exponent) {  ///< 2^exponent, exponent in [−126, 127]
    return map([&](int i) { return bits_to_float(static_cast<std::uint32_t>(exponent.v[i] + 127) << 23); });
  }
  static std::int32_t sum(I a) {
    std::int32_t total = 0;
    for (const std::int32_t x : a.v) total += x;
    return total;
  }
  static void store_bytes(std::int8_t* x, I a) {  ///< values in [−128, 127]
    for (int i = 0; i < kLanes; ++i) x[i] = static_cast<std::int8_t>(a.v[i]);
  }

  static B load_bytes(const std::byte* x) {
    B result;
    std::memcpy(result.v, x, sizeof result.v);
    return result;
  }
  static B low_nibbles(B a) {
    for (std::uint8_t& x : a.v) x = x & 0x0F;
    return a;
  }
  static B high_nibbles(B a) {
    for (std::uint8_t& x : a.v) x = static_cast<std::uint8_t>(x >> 4);
    return a;
  }
  static Signed to_signed(B a) { return a; }
  static F column(B a, int j) {  ///< column j of the four, as unsigned numbers
    return map([&](int i) { return static_cast<float>(a.v[4 * i + j]); });
  }
  static F signed_column(B a, int j) {
    return map([&](int i) { return static_cast<float>(static_cast<std::int8_t>(a.v[4 * i + j])); });
  }

  /// Σ over 32 columns of weight·x; w holds columns 4v … 4v + 3 in w[v]. Weights 0 … 15.
  static I dot_nibbles(const B (&w)[8], const std::int8_t* x) {
    I total{};
    for (int v = 0; v < 8; ++v) {
      for (int i = 0; i < kLanes; ++i) {
        for (int j = 0; j < 4; ++j) total.v[i] += w[v].v[4 * i + j] * x[4 * v + j];
      }
    }
    return total;
  }
  /// The same for signed weights, each with kSignedBias added; x in [−127, 127].
  static I dot_signed(const Signed (&w)[8], const std::int8_t* x) {
    I total{};
    for (int v = 0; v < 8; ++v) {
      for (int i = 0; i < kLanes; ++i) {
        for (int j = 0; j < 4; ++j) {
          total.v[i] += static_cast<std::int8_t>(w[v].v[4 * i + j]) * x[4 * v + j];
        }
      }
    }
    return total;
  }
  static I join_digits(I high, I low) {  ///< 256·high + low
    for (int i = 0; i < kLanes; ++i) low.v[i] += 256 * high.v[i];
    return low;
  }
  static I subtract(I a, std::int32_t b) {
    for (std::int32_t& x : a.v) x -= b;
    return a;
  }

 private:
  template <class Lane>
  static F map(const Lane& lane) {
    F result;
    for (int i = 0; i < kLanes; ++i) result.v[i] = lane(i);
    return result;
  }
  template <class Join>
  static float fold(F a, const Join& join) {
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) a.v[i] = join(a.v[i], a.v[i + half]);
    }
    return a.v[0];
  }
};

}  // namespace pitwall
