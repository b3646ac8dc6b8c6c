// SPDX-License-Identifier: GPL-3.0-or-later
// Single numbers between float and its 16- and 8-bit forms, inline for inner loops. engine/model's functions
// are the slow twins.
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

constexpr std::int32_t kInfinityBits = 0x7F800000;
constexpr std::int32_t kFp8LargestBits = 0x43E00000;  // 448

/// |value| as an integer: ordered as the numbers are, NaN above all.
inline std::int32_t magnitude_bits(float value) {
  return static_cast<std::int32_t>(float_to_bits(value) & 0x7FFFFFFF);
}

/// fp8_e4m3 without branches, so that loops over it become vectors. Subnormals are steps of 2^-9.
inline float fp8_bits_to_float(std::uint8_t fp8) {
  const std::uint32_t sign = static_cast<std::uint32_t>(fp8 & 0x80) << 24;
  const auto rest = static_cast<std::int32_t>(fp8 & 0x7F);
  const std::uint32_t subnormal = float_to_bits(static_cast<float>(rest) * 0.001953125f);
  const std::uint32_t normal = (static_cast<std::uint32_t>(rest) << 20) + (120u << 23);
  const std::uint32_t magnitude = rest == 0x7F ? 0x7FC00000 : rest < 8 ? subnormal : normal;
  return bits_to_float(sign | magnitude);
}

/// Round to nearest even, saturating at ±448; NaN stays NaN.
inline std::uint8_t float_to_fp8_bits(float value) {
  const std::uint32_t sign = (float_to_bits(value) >> 24) & 0x80;
  const std::int32_t magnitude = magnitude_bits(value);
  const std::int32_t capped = magnitude < kFp8LargestBits ? magnitude : kFp8LargestBits;
  // Below 2^-6: added to 2^14, a number keeps steps of 2^-9 at the end of the mantissa.
  const float shifted = bits_to_float(static_cast<std::uint32_t>(capped)) + 16384.0f;
  const std::int32_t subnormal = magnitude_bits(shifted) - 0x46800000;
  const std::int32_t normal = (capped + 0x7FFFF + ((capped >> 20) & 1) - (120 << 23)) >> 20;
  const std::int32_t code = capped < 0x3C800000 ? subnormal : normal;
  return static_cast<std::uint8_t>(sign |
                                   static_cast<std::uint32_t>(magnitude > kInfinityBits ? 0x7F : code));
}

}  // namespace
}  // namespace pitwall
