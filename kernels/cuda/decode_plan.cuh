// SPDX-License-Identifier: GPL-3.0-or-later
// The plan and the partial results in a DecodeWorkspace.
#pragma once
#include <cstddef>

#include "kernels/cuda/attention.h"
#include "kernels/cuda/decode_plan.h"

namespace pitwall::cuda {

struct DecodePlan {
  std::int32_t* arrived = nullptr;  ///< [parts]: finished pieces of the pair whose first part this is
  PlannedPart* parts = nullptr;     ///< [parts]
  PlannedRow* rows = nullptr;       ///< [rows]
  /// [2·parts][group]: what powers are relative to, their sum; then [2·parts][group][padded head_dim]: the
  /// unnormalised output
  float* partials = nullptr;
};
DecodePlan decode_plan_at(const DecodeWorkspace& workspace, int rows, int multiprocessors);

}  // namespace pitwall::cuda
