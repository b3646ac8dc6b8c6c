// SPDX-License-Identifier: GPL-3.0-or-later
// The tensor type numbers of GGUF files: which of them are read here, and the names of the others for
// messages.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "engine/model/tensor_type.h"

namespace pitwall {

struct GgmlBlock {
  int elements = 0, bytes = 0;
};
std::optional<GgmlBlock> ggml_block(std::uint32_t number);            ///< of every format, read here or not
std::optional<TensorType> tensor_type_of_ggml(std::uint32_t number);  ///< nothing when it is not read here
std::string ggml_type_name(std::uint32_t number);                     ///< "Q4_K (type 12)", "unknown type 99"

}  // namespace pitwall
