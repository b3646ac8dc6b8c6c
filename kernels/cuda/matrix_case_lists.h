// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of matrix_cases().
#pragma once
#include <span>

#include "engine/model/tensor_type.h"
#include "kernels/cuda/kernel_case.h"

namespace pitwall::cuda {

/// Every quantised type that the device has.
std::span<const TensorType> case_types();

void add_dequantize_cases(CaseScale scale, std::vector<KernelCase>& cases);
void add_skinny_cases(CaseScale scale, std::vector<KernelCase>& cases);
void add_streamed_cases(CaseScale scale, std::vector<KernelCase>& cases);
void add_product_cases(CaseScale scale, std::vector<KernelCase>& cases);  ///< tiled_linear, expert_linear

}  // namespace pitwall::cuda
