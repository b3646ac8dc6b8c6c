// SPDX-License-Identifier: GPL-3.0-or-later
// The lists that attention_cases() joins.
#pragma once
#include "kernels/cuda/kernel_case.h"

namespace pitwall::cuda {

void add_rope_cases(CaseScale scale, std::vector<KernelCase>& cases);
void add_decode_cases(CaseScale scale, std::vector<KernelCase>& cases);
void add_new_token_cases(CaseScale scale, std::vector<KernelCase>& cases);
void add_prefill_cases(CaseScale scale, std::vector<KernelCase>& cases);

}  // namespace pitwall::cuda
