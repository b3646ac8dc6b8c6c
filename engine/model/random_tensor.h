// SPDX-License-Identifier: GPL-3.0-or-later
// Matrices of random numbers in a checkpoint's formats, for checks and measurements of kernels.
#pragma once
#include <cstddef>
#include <random>
#include <vector>

#include "engine/model/model.h"

namespace pitwall {

/// A matrix in a checkpoint's format that owns its bytes.
struct OwnedTensor {
  std::vector<std::byte> bytes;
  TensorView view;
  std::vector<float> values() const;  ///< dequantised
};

/// Random numbers of the size that weights have. `columns` of a quantised type: whole blocks.
OwnedTensor random_tensor(TensorType type, int rows, int columns, std::mt19937& random);

}  // namespace pitwall
