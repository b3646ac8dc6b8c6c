// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/tensor_type.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/model/block_codes.h"

namespace pitwall {

namespace {

constexpr std::array<TensorTypeInfo, kTensorTypes> kTypes = {{
    {"F32", 1, 4},      {"F16", 1, 2},      {"BF16", 1, 2},     {"Q4_0", 32, 18},   {"Q4_1", 32, 20},
    {"Q5_0", 32, 22},   {"Q5_1", 32, 24},   {"Q8_0", 32, 34},   {"Q2_K", 256, 84},  {"Q3_K", 256, 110},
    {"Q4_K", 256, 144}, {"Q5_K", 256, 176}, {"Q6_K", 256, 210}, {"IQ4_NL", 32, 18}, {"IQ4_XS", 256, 136},
    {"MXFP4", 32, 17},  {"F8_E4M3", 1, 1},  {"F8_E5M2", 1, 1},  {"F64", 1, 8},      {"I64", 1, 8},
    {"I32", 1, 4},      {"I16", 1, 2},      {"I8", 1, 1},       {"U8", 1, 1},       {"BOOL", 1, 1},
    {"INT4", 2, 1},
}};

// Checkpoints promise no alignment: every element is copied out before use.
template <class Element>
Element element_at(const std::byte* source, std::int64_t index) {
  Element element;
  std::memcpy(&element, source + index * static_cast<std::int64_t>(sizeof(Element)), sizeof(Element));
  return element;
}

template <class Element, class Convert>
void dequantize_plain(const std::byte* source, float* target, std::int64_t elements, Convert convert) {
  for (std::int64_t i = 0; i < elements; ++i) target[i] = convert(element_at<Element>(source, i));
}

void dequantize_blocks(TensorType type, const std::byte* source, float* target, std::int64_t elements) {
  using Scale = BlockFormat::Scale;
  const BlockFormat format = block_format(type);
  BlockCodes block;
  for (; elements > 0; elements -= format.columns, source += tensor_type_info(type).block_bytes) {
    split_block(type, source, block);
    const float d = format.scale == Scale::bfloat ? bfloat_to_float(block.d) : half_to_float(block.d);
    for (int i = 0; i < format.columns; ++i, ++target) {
      const int sub = i / format.sub_columns, code = block.codes[i];
      const int number = format.table != nullptr ? format.table[code]
                         : format.is_signed      ? static_cast<std::int8_t>(code)
                                                 : code - format.zero;
      const bool subs = format.scale == Scale::sub || format.scale == Scale::sub_minimum;
      *target = (subs ? d * static_cast<float>(block.scales[sub]) : d) * static_cast<float>(number);
      if (format.scale == Scale::half_minimum) *target += half_to_float(block.m);
      if (format.scale == Scale::sub_minimum)
        *target -= half_to_float(block.m) * static_cast<float>(block.minima[sub]);
    }
  }
}

/// A float of `exponent_bits` and `mantissa_bits` without its special numbers.
float small_float(int code, int exponent_bits, int mantissa_bits) {
  const int mantissa = code & ((1 << mantissa_bits) - 1);
  const int exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const float magnitude =
      std::ldexp(static_cast<float>(exponent == 0 ? mantissa : mantissa + (1 << mantissa_bits)),
                 (exponent == 0 ? 1 : exponent) - bias - mantissa_bits);
  return code & 0x80 ? -magnitude : magnitude;
}

}  // namespace

const TensorTypeInfo& tensor_type_info(TensorType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

std::int64_t tensor_bytes(TensorType type, std::int64_t elements) {
  const TensorTypeInfo& info = tensor_type_info(type);
  assert(elements % info.block_elements == 0);
  return elements / info.block_elements * info.block_bytes;
}

bool is_weight_type(TensorType type) {
  return type <= TensorType::f8_e4m3;
}

void dequantize(TensorType type, const std::byte* source, float* target, std::int64_t elements) {
  assert(elements % tensor_type_info(type).block_elements == 0);
  const auto plain = [&]<class Element>(Element, auto convert) {
    dequantize_plain<Element>(source, target, elements, convert);
  };
  const auto number = [](auto x) { return static_cast<float>(x); };
  switch (type) {
    case TensorType::f32:
      return plain(float{}, number);
    case TensorType::f16:
      return plain(std::uint16_t{}, half_to_float);
    case TensorType::bf16:
      return plain(std::uint16_t{}, bfloat_to_float);
    case TensorType::f8_e4m3:
      return plain(std::uint8_t{}, fp8_e4m3_to_float);
    case TensorType::f8_e5m2:
      return plain(std::uint8_t{}, fp8_e5m2_to_float);
    case TensorType::f64:
      return plain(double{}, number);
    case TensorType::i64:
      return plain(std::int64_t{}, number);
    case TensorType::i32:
      return plain(std::int32_t{}, number);
    case TensorType::i16:
      return plain(std::int16_t{}, number);
    case TensorType::i8:
      return plain(std::int8_t{}, number);
    case TensorType::u8:
    case TensorType::boolean:
      return plain(std::uint8_t{}, number);
    case TensorType::i4:
      for (std::int64_t i = 0; i < elements; ++i) {
        const int pair = std::to_integer<int>(source[i / 2]);
        target[i] = static_cast<float>(i % 2 == 0 ? pair & 15 : pair >> 4);
      }
      return;
    default:
      return dequantize_blocks(type, source, target, elements);
  }
}

float fp8_e4m3_to_float(std::uint8_t code) {
  if ((code & 0x7F) == 0x7F) return std::numeric_limits<float>::quiet_NaN();
  return small_float(code, 4, 3);
}

float fp8_e5m2_to_float(std::uint8_t code) {
  const int rest = code & 0x7F;
  if (rest > 0x7C) return std::numeric_limits<float>::quiet_NaN();
  if (rest == 0x7C) return (code & 0x80 ? -1.0f : 1.0f) * std::numeric_limits<float>::infinity();
  return small_float(code, 5, 2);
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1Fu;
  const std::uint32_t mantissa = half & 0x3FFu;
  if (exponent == 0) {  // zero or subnormal: mantissa · 2^-24, exact in float
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) {  // NaN: quiet, upper payload kept
    return static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x1FFu));
  }
  // From 65520 on, halfway between the largest half and the next power of two, everything rounds to infinity.
  if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the unit is 2^-24. Adding 0.5f, whose unit is 2^-24 too, lets the addition round to even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000u));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t rounded = magnitude - (112u << 23) + 0xFFFu + odd;
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

float bfloat_to_float(std::uint16_t bfloat) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16);
}

std::uint16_t float_to_bfloat(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  const std::uint32_t odd = (bits >> 16) & 1u;
  return static_cast<std::uint16_t>((bits + 0x7FFFu + odd) >> 16);
}

}  // namespace pitwall
