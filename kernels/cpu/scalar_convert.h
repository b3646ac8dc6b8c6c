// SPDX-License-Identifier: GPL-3.0-or-later
// Single numbers between float and its 16-bit forms, inline for inner loops. engine/model's functions are the
// slow twins.
#pragma once
#include <cstdint>
#include <cstring>

namespace pitwall {
namespace {  // each file keeps its own copy: kernels are compiled for different instruction sets

inline float bits_to_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::uint32_t float_to_bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float bfloat_bits_to_float(std::uint16_t bfloat) {
  return bits_to_float(static_cast<std::uint32_t>(bfloat) << 16);
}

/// Round to nearest even; NaN stays NaN.
inline std::uint16_t float_to_bfloat_bits(float value) {
  const std::uint32_t bits = float_to_bits(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// Moves the ten mantissa bits up and lets one multiplication set the exponent's bias and normalise
/// subnormals.
inline float half_bits_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t rest = static_cast<std::uint32_t>(half & 0x7FFF) << 13;
  if (rest >= 0x0F800000) return bits_to_float(sign | 0x7F800000 | (rest & 0x007FFFFF));  // infinity, NaN
  constexpr float kBias = 5.192296858534828e+33f;                                         // 2^112
  return bits_to_float(sign | float_to_bits(bits_to_float(rest) * kBias));
}

/// Round to nearest even; NaN stays NaN.
inline std::uint16_t float_to_half_bits(float value) {
  const std::uint32_t bits = float_to_bits(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return static_cast<std::uint16_t>(sign | 0x7E00);
  if (magnitude >= 0x477FF000) return static_cast<std::uint16_t>(sign | 0x7C00);  // rounds to 65536 or more
  if (magnitude <
      0x38800000) {  // below 2^-14: adding 0.5 leaves the subnormal's ten bits at the end of the mantissa
    const float shifted = bits_to_float(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (float_to_bits(shifted) - 0x3F000000));
  }
  const std::uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

}  // namespace
}  // namespace pitwall
