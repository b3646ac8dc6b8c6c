// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/ggml_types.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace pitwall {

namespace {

// By number; empty where the format has retired the number.
constexpr std::array<std::string_view, 42> kNames = {
    "F32",   "F16",    "Q4_0",  "Q4_1", "",     "",        "Q5_0",   "Q5_1",    "Q8_0",  "Q8_1",   "Q2_K",
    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S",
    "IQ2_S", "IQ4_XS", "I8",    "I16",  "I32",  "I64",     "F64",    "IQ1_M",   "BF16",  "",       "",
    "",      "TQ1_0",  "TQ2_0", "",     "",     "",        "MXFP4",  "NVFP4",   "Q1_0"};

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

std::string ggml_type_name(std::uint32_t number) {
  if (number >= kNames.size() || kNames[number].empty()) return fmt::format("unknown type {}", number);
  return fmt::format("{} (type {})", kNames[number], number);
}

}  // namespace pitwall
