// SPDX-License-Identifier: GPL-3.0-or-later
// A hub checkpoint as a GGUF file, for round trips: keys, names, fused and permuted rows as llama.cpp's files
// have them. No tokenizer.
#pragma once
#include <filesystem>

#include "engine/model/model.h"
#include "tests/support/gguf_writer.h"

namespace pitwall::test {

enum class GgufNumbers {
  f32,
  q8_0,
  rounded,  ///< F32 numbers, each what it is in q8_0
};

/// Matrices in the format asked for, where their columns are whole blocks; vectors and routers in F32. What a
/// GGUF file of the architecture cannot say is a broken test.
GgufWriter to_gguf(const Model& model, GgufNumbers numbers);

}  // namespace pitwall::test
