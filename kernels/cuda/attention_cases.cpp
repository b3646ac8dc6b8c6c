// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/attention_case_lists.h"

namespace pitwall::cuda {

std::vector<KernelCase> attention_cases(CaseScale scale) {
  std::vector<KernelCase> cases;
  add_rope_cases(scale, cases);
  add_decode_cases(scale, cases);
  add_new_token_cases(scale, cases);
  add_prefill_cases(scale, cases);
  return cases;
}

}  // namespace pitwall::cuda
