// SPDX-License-Identifier: GPL-3.0-or-later
// The integers inside a GGUF block, whatever their order in its bytes. Layouts: the `gguf` package's
// quants.py.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/model/tensor_type.h"

namespace pitwall {

inline constexpr int kMostBlockElements = 256;

/// What the numbers of a block type have in common.
struct BlockFormat {
  enum class Scale {
    half,          ///< d
    half_minimum,  ///< d and m, both added up: d·q + m
    bfloat,        ///< d as bfloat16: a power of two (MXFP4's byte)
    sub,           ///< d·scale of each sub-block
    sub_minimum,   ///< d·scale·q − m·minimum of each sub-block
  };
  int bits = 0;          ///< of a code
  int zero = 0;          ///< x = scale·(code − zero)
  int columns = 32;      ///< of a block
  int sub_columns = 32;  ///< of a sub-block
  Scale scale = Scale::half;
  const std::int8_t* table = nullptr;  ///< code → integer
  bool is_signed = false;              ///< codes are int8
};

inline constexpr std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};
/// Twice the fp4 (e2m1) numbers of the OCP microscaling formats (2023).
inline constexpr std::int8_t kFp4Values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

constexpr bool is_block_type(TensorType type) {
  return type >= TensorType::q4_0 && type <= TensorType::mxfp4;
}
/// Whether its codes stand for other integers.
constexpr bool has_table(TensorType type) {
  return type == TensorType::iq4_nl || type == TensorType::iq4_xs || type == TensorType::mxfp4;
}
constexpr BlockFormat block_format(TensorType type) {
  using Scale = BlockFormat::Scale;
  switch (type) {
    case TensorType::q4_0:
      return {4, 8};
    case TensorType::q4_1:
      return {4, 0, 32, 32, Scale::half_minimum};
    case TensorType::q5_0:
      return {5, 16};
    case TensorType::q5_1:
      return {5, 0, 32, 32, Scale::half_minimum};
    case TensorType::q8_0:
      return {.bits = 8, .is_signed = true};
    case TensorType::q2_k:
      return {2, 0, 256, 16, Scale::sub_minimum};
    case TensorType::q3_k:
      return {3, 4, 256, 16, Scale::sub};
    case TensorType::q4_k:
      return {4, 0, 256, 32, Scale::sub_minimum};
    case TensorType::q5_k:
      return {5, 0, 256, 32, Scale::sub_minimum};
    case TensorType::q6_k:
      return {6, 32, 256, 16, Scale::sub};
    case TensorType::iq4_nl:
      return {4, 0, 32, 32, Scale::half, kIq4Values};
    case TensorType::iq4_xs:
      return {4, 0, 256, 32, Scale::sub, kIq4Values};
    case TensorType::mxfp4:
      return {4, 0, 32, 32, Scale::bfloat, kFp4Values};
    default:
      return {};
  }
}

/// One block taken apart. Scales and minima are set where the format has sub-blocks, m where it has minima.
struct BlockCodes {
  std::uint8_t codes[kMostBlockElements];  ///< by column; q8_0: two's complement
  std::uint16_t d, m;                      ///< float16; MXFP4's d: bfloat16
  std::int8_t scales[16];
  std::uint8_t minima[16];
};
/// `block` needs no alignment.
void split_block(TensorType type, const std::byte* block, BlockCodes& out);

}  // namespace pitwall
