// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/ggml_types.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace pitwall {

namespace {

struct GgmlType {
  std::string_view name;
  GgmlBlock block;
};
/// By number (ggml.h, ggml-common.h); empty where the format has retired the number.
constexpr std::array<GgmlType, 42> kTypes = {{{"F32", {1, 4}},
                                              {"F16", {1, 2}},
                                              {"Q4_0", {32, 18}},
                                              {"Q4_1", {32, 20}},
                                              {},
                                              {},
                                              {"Q5_0", {32, 22}},
                                              {"Q5_1", {32, 24}},
                                              {"Q8_0", {32, 34}},
                                              {"Q8_1", {32, 36}},
                                              {"Q2_K", {256, 84}},
                                              {"Q3_K", {256, 110}},
                                              {"Q4_K", {256, 144}},
                                              {"Q5_K", {256, 176}},
                                              {"Q6_K", {256, 210}},
                                              {"Q8_K", {256, 292}},
                                              {"IQ2_XXS", {256, 66}},
                                              {"IQ2_XS", {256, 74}},
                                              {"IQ3_XXS", {256, 98}},
                                              {"IQ1_S", {256, 50}},
                                              {"IQ4_NL", {32, 18}},
                                              {"IQ3_S", {256, 110}},
                                              {"IQ2_S", {256, 82}},
                                              {"IQ4_XS", {256, 136}},
                                              {"I8", {1, 1}},
                                              {"I16", {1, 2}},
                                              {"I32", {1, 4}},
                                              {"I64", {1, 8}},
                                              {"F64", {1, 8}},
                                              {"IQ1_M", {256, 56}},
                                              {"BF16", {1, 2}},
                                              {},
                                              {},
                                              {},
                                              {"TQ1_0", {256, 54}},
                                              {"TQ2_0", {256, 66}},
                                              {},
                                              {},
                                              {},
                                              {"MXFP4", {32, 17}},
                                              {"NVFP4", {64, 36}},
                                              {"Q1_0", {128, 18}}}};

}  // namespace

std::optional<TensorType> tensor_type_of_ggml(std::uint32_t number) {
  switch (number) {
    case 0:
      return TensorType::f32;
    case 1:
      return TensorType::f16;
    case 2:
      return TensorType::q4_0;
    case 3:
      return TensorType::q4_1;
    case 6:
      return TensorType::q5_0;
    case 7:
      return TensorType::q5_1;
    case 8:
      return TensorType::q8_0;
    case 10:
      return TensorType::q2_k;
    case 11:
      return TensorType::q3_k;
    case 12:
      return TensorType::q4_k;
    case 13:
      return TensorType::q5_k;
    case 14:
      return TensorType::q6_k;
    case 20:
      return TensorType::iq4_nl;
    case 23:
      return TensorType::iq4_xs;
    case 30:
      return TensorType::bf16;
    case 39:
      return TensorType::mxfp4;
    default:
      return std::nullopt;
  }
}

std::optional<GgmlBlock> ggml_block(std::uint32_t number) {
  if (number >= kTypes.size() || kTypes[number].name.empty()) return std::nullopt;
  return kTypes[number].block;
}

std::string ggml_type_name(std::uint32_t number) {
  if (!ggml_block(number)) return fmt::format("unknown type {}", number);
  return fmt::format("{} (type {})", kTypes[number].name, number);
}

}  // namespace pitwall
