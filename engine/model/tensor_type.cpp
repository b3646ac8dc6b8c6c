// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/tensor_type.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace pitwall {

namespace {

constexpr std::array<TensorTypeInfo, 6> kTypes = {{
    {"F32", 1, 4},
    {"F16", 1, 2},
    {"BF16", 1, 2},
    {"Q4_0", 32, sizeof(BlockQ4_0)},
    {"Q4_1", 32, sizeof(BlockQ4_1)},
    {"Q8_0", 32, sizeof(BlockQ8_0)},
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

template <class Block, class Expand>
void dequantize_blocks(const std::byte* source, float* target, std::int64_t elements, Expand expand) {
  for (std::int64_t block = 0; block < elements / 32; ++block) {
    expand(element_at<Block>(source, block), target + 32 * block);
  }
}

void expand_q4_0(const BlockQ4_0& block, float* target) {
  const float d = half_to_float(block.d);
  for (int i = 0; i < 16; ++i) {
    target[i] = d * static_cast<float>((block.q[i] & 0x0F) - 8);
    target[i + 16] = d * static_cast<float>((block.q[i] >> 4) - 8);
  }
}

void expand_q4_1(const BlockQ4_1& block, float* target) {
  const float d = half_to_float(block.d), m = half_to_float(block.m);
  for (int i = 0; i < 16; ++i) {
    target[i] = d * static_cast<float>(block.q[i] & 0x0F) + m;
    target[i + 16] = d * static_cast<float>(block.q[i] >> 4) + m;
  }
}

void expand_q8_0(const BlockQ8_0& block, float* target) {
  const float d = half_to_float(block.d);
  for (int i = 0; i < 32; ++i) target[i] = d * static_cast<float>(block.q[i]);
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

void dequantize(TensorType type, const std::byte* source, float* target, std::int64_t elements) {
  assert(elements % tensor_type_info(type).block_elements == 0);
  switch (type) {
    case TensorType::f32:
      return dequantize_plain<float>(source, target, elements, [](float x) { return x; });
    case TensorType::f16:
      return dequantize_plain<std::uint16_t>(source, target, elements, half_to_float);
    case TensorType::bf16:
      return dequantize_plain<std::uint16_t>(source, target, elements, bfloat_to_float);
    case TensorType::q4_0:
      return dequantize_blocks<BlockQ4_0>(source, target, elements, expand_q4_0);
    case TensorType::q4_1:
      return dequantize_blocks<BlockQ4_1>(source, target, elements, expand_q4_1);
    case TensorType::q8_0:
      return dequantize_blocks<BlockQ8_0>(source, target, elements, expand_q8_0);
  }
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
