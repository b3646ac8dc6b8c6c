// SPDX-License-Identifier: GPL-3.0-or-later
// The portable vectors: the compiler's own of 16 bytes, which every processor of today has (SSE2, NEON). What
// a vector type must offer the kernel families is read here; simd_avx2.h and simd_avx512.h say the same in
// intrinsics. Sums across lanes are taken in one fixed order.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/scalar_convert.h"

namespace pitwall {

struct SimdPortable {
  static constexpr int kLanes = 4;
  static constexpr int kRowsAtOnce = 2;      ///< activation rows against a tile that the registers hold
  using F [[gnu::vector_size(16)]] = float;  ///< floats
  using I [[gnu::vector_size(16)]] = std::int32_t;  ///< 32-bit integers
  using B [[gnu::vector_size(16)]] = std::uint8_t;  ///< bytes: four neighbouring columns of each lane's row
  using Signed = B;  ///< signed bytes in the form that dot_signed wants: weight + kSignedBias
  static constexpr std::int32_t kSignedBias = 0;

  static F zero() { return F{}; }
  static F broadcast(float x) { return F{x, x, x, x}; }
  static F load(const float* x) { return load_as<F>(x); }
  static F load_part(const float* x, int count) {  ///< the first `count` lanes, the others 0
    F result{};
    for (int i = 0; i < count; ++i) result[i] = x[i];
    return result;
  }
  static F load_half(const std::uint16_t* x) {  ///< as half_bits_to_float() without its branch
    const I bits = __builtin_convertvector(load_as<FourWords>(x), I);
    const I rest = (bits & 0x7FFF) << 13;
    const F finite = std::bit_cast<F>(rest) * broadcast(5.192296858534828e+33f);  // 2^112
    const I magnitude = rest >= 0x0F800000 ? rest | 0x7F800000 : std::bit_cast<I>(finite);
    return std::bit_cast<F>(((bits & 0x8000) << 16) | magnitude);
  }
  static F load_bfloat(const std::uint16_t* x) {
    return std::bit_cast<F>(__builtin_convertvector(load_as<FourWords>(x), I) << 16);
  }
  static constexpr float kFp8Unit = 1;
  static F load_fp8(const std::uint8_t* x) {  ///< fp8_e4m3 numbers over kFp8Unit: as fp8_bits_to_float()
    const I bits = __builtin_convertvector(load_as<FourBytes>(x), I);
    const I rest = bits & 0x7F, nan = broadcast_int(0x7FC00000);
    const I subnormal = std::bit_cast<I>(to_float(rest) * broadcast(0.001953125f));
    const I number = rest < 8 ? subnormal : (rest << 20) + (120 << 23);
    return std::bit_cast<F>(((bits & 0x80) << 24) | (rest == 0x7F ? nan : number));
  }
  static F load_int8(const std::int8_t* x) { return __builtin_convertvector(load_as<FourBytes>(x), F); }
  static F load_low_nibbles(const std::uint8_t* x) {  ///< 0 … 15, of a byte a lane
    return to_float(__builtin_convertvector(load_as<FourBytes>(x), I) & 15);
  }
  static F load_high_nibbles(const std::uint8_t* x) {
    return to_float(__builtin_convertvector(load_as<FourBytes>(x), I) >> 4 & 15);
  }
  static void store(float* x, F a) { std::memcpy(x, &a, sizeof a); }
  static void store_part(float* x, F a, int count) {
    for (int i = 0; i < count; ++i) x[i] = a[i];
  }
  static void store_half(std::uint16_t* x, F a) {
    for (int i = 0; i < kLanes; ++i) x[i] = float_to_half_bits(a[i]);
  }

  static F add(F a, F b) { return a + b; }
  static F mul(F a, F b) { return a * b; }
  static F div(F a, F b) { return a / b; }
  static F fma(F a, F b, F c) { return a * b + c; }  ///< a·b + c
  static F max(F a, F b) { return a > b ? a : b; }
  static F min(F a, F b) { return a < b ? a : b; }
  static F abs(F a) { return std::bit_cast<F>(std::bit_cast<I>(a) & 0x7FFFFFFF); }
  static F zero_where_below(F value, F a, float bound) {  ///< value, but 0 in lanes where a < bound
    return a < broadcast(bound) ? zero() : value;
  }
  static float sum(F a) { return (a[0] + a[2]) + (a[1] + a[3]); }
  static float max_across(F a) {
    const float even = a[0] > a[2] ? a[0] : a[2], odd = a[1] > a[3] ? a[1] : a[3];
    return even > odd ? even : odd;
  }

  static I round_to_int(F a) {               ///< to nearest; |a| < 2²²
    const F shift = broadcast(12582912.0f);  // 1.5·2²³: adding it rounds the fraction away
    return __builtin_convertvector((a + shift) - shift, I);
  }
  static F to_float(I a) { return __builtin_convertvector(a, F); }
  static F power_of_two(I exponent) {  ///< 2^exponent, exponent in [−126, 127]
    return std::bit_cast<F>((exponent + 127) << 23);
  }
  static std::int32_t sum(I a) { return a[0] + a[1] + a[2] + a[3]; }
  static void store_bytes(std::int8_t* x, I a) {  ///< values in [−128, 127]
    for (int i = 0; i < kLanes; ++i) x[i] = static_cast<std::int8_t>(a[i]);
  }

  static B load_bytes(const std::byte* x) { return load_as<B>(x); }
  /// Each byte moved right by kShift (left where it is negative), then masked. kMask holds no bit that came
  /// from a neighbouring byte: vectors without byte shifts move words.
  template <int kShift, int kMask>
  static B bits(B a) {
    if constexpr (kShift < 0) return (a << -kShift) & static_cast<std::uint8_t>(kMask);
    if constexpr (kShift >= 0) return (a >> kShift) & static_cast<std::uint8_t>(kMask);
  }
  static B either(B a, B b) { return a | b; }
  static B look_up(const std::int8_t* table, B a) {  ///< table[byte] for bytes 0 … 15
    B result;
    for (int i = 0; i < 16; ++i) result[i] = static_cast<std::uint8_t>(table[a[i]]);
    return result;
  }
  static Signed to_signed(B a) { return a; }
  static F column(B a, int j) {  ///< column j of the four, as unsigned numbers
    return to_float((std::bit_cast<I>(a) >> (8 * j)) & 0xFF);
  }
  static F signed_column(B a, int j) { return to_float((std::bit_cast<I>(a) << (24 - 8 * j)) >> 24); }

  /// Σ over 4·kVectors columns of weight·x; w holds columns 4v … 4v + 3 in w[v]. Weights 0 … kMost: as many
  /// products of at most kMost·127 as fit 16 bits are added up before one widening sum.
  template <int kMost, int kVectors>
  static I dot_codes(const B* w, const std::int8_t* x) {
    constexpr int kFit = 32767 / (2 * kMost * 127);
    I sum{};
    for (int first = 0; first < kVectors; first += kFit) {
      Words total{};
      for (int v = first; v < kVectors && v < first + kFit; ++v) {
        const auto weights = std::bit_cast<Words>(w[v]), columns = four_columns(x + 4 * v);
        total += (weights & 0xFF) * even_bytes(columns) + odd_bytes(weights) * odd_bytes(columns);
      }
      sum += add_pairs(total);
    }
    return sum;
  }
  /// Over 32 columns for signed weights, each with kSignedBias added; x in [−127, 127]. Two products of at
  /// most 128·127 fit 16 bits.
  static I dot_signed(const Signed* w, const std::int8_t* x) {
    I total{};
    for (int v = 0; v < 8; ++v) {
      const auto weights = std::bit_cast<Words>(w[v]), columns = four_columns(x + 4 * v);
      total += add_pairs(even_bytes(weights) * even_bytes(columns) + odd_bytes(weights) * odd_bytes(columns));
    }
    return total;
  }
  static I join_digits(I high, I low) { return (high << 8) + low; }  ///< 256·high + low
  static I subtract(I a, std::int32_t b) { return a - b; }

 private:
  using Words [[gnu::vector_size(16)]] = std::int16_t;
  using FourWords [[gnu::vector_size(8)]] = std::uint16_t;
  using FourBytes [[gnu::vector_size(4)]] = std::int8_t;

  template <class V>
  static V load_as(const void* x) {
    V result;
    std::memcpy(&result, x, sizeof result);
    return result;
  }
  static I broadcast_int(std::int32_t x) { return I{x, x, x, x}; }
  static Words even_bytes(Words a) { return (a << 8) >> 8; }
  static Words odd_bytes(Words a) { return a >> 8; }
  static Words four_columns(const std::int8_t* x) {
    return std::bit_cast<Words>(broadcast_int(load_as<std::int32_t>(x)));
  }
  static I add_pairs(Words a) {
    const auto pairs = std::bit_cast<I>(a);
    return ((pairs << 16) >> 16) + (pairs >> 16);
  }
};

}  // namespace pitwall
