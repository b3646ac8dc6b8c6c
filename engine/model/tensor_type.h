// SPDX-License-Identifier: GPL-3.0-or-later
// How numbers are stored in checkpoints: element and block formats. Layouts follow the GGUF specification.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pitwall {

enum class TensorType : std::uint8_t {
  f32,
  f16,
  bf16,
  // Blocks of GGUF.
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  iq4_nl,
  iq4_xs,
  mxfp4,
  // Of safetensors: parts of quantised linears, or scales beside them.
  f8_e4m3,
  f8_e5m2,
  f64,
  i64,
  i32,
  i16,
  i8,
  u8,
  boolean,
  i4,  ///< two codes a byte; the type that a quantised linear of 4 bits has as a whole
};
inline constexpr int kTensorTypes = static_cast<int>(TensorType::i4) + 1;

struct TensorTypeInfo {
  std::string_view name;  ///< "F32", "Q4_1" …
  int block_elements;     ///< elements in a block (1 for plain types)
  int block_bytes;        ///< bytes of a block
};
const TensorTypeInfo& tensor_type_info(TensorType type);

/// Bytes of `elements` numbers; elements must be a multiple of block_elements.
std::int64_t tensor_bytes(TensorType type, std::int64_t elements);

/// Whether numbers of the type stand for a weight on their own.
bool is_weight_type(TensorType type);

/// The slow, obvious reference: `elements` numbers from packed `source` to float. Source needs no alignment.
void dequantize(TensorType type, const std::byte* source, float* target, std::int64_t elements);

// 32 elements a block; d and m are float16. Nibbles: element i (0 … 15) is the low nibble of byte i, element
// i + 16 the high one. Q4_1: x = d·q + m.  Q4_0: x = d·(q − 8).  Q8_0: x = d·q.
struct BlockQ4_1 {
  std::uint16_t d, m;
  std::uint8_t q[16];
};
struct BlockQ4_0 {
  std::uint16_t d;
  std::uint8_t q[16];
};
struct BlockQ8_0 {
  std::uint16_t d;
  std::int8_t q[32];
};
static_assert(sizeof(BlockQ4_1) == 20 && sizeof(BlockQ4_0) == 18 && sizeof(BlockQ8_0) == 34);

/// OCP 8-bit floating point (2023): f8_e4m3 has no infinity, 0x7F and 0xFF are NaN.
float fp8_e4m3_to_float(std::uint8_t code);
float fp8_e5m2_to_float(std::uint8_t code);
float half_to_float(std::uint16_t half);
std::uint16_t float_to_half(float value);  ///< round to nearest even
float bfloat_to_float(std::uint16_t bfloat);
std::uint16_t float_to_bfloat(float value);  ///< round to nearest even; NaN stays NaN

}  // namespace pitwall
