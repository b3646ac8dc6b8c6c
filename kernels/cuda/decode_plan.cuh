// SPDX-License-Identifier: GPL-3.0-or-later
// The plan and the partial results in a DecodeWorkspace.
#pragma once
#include <cstddef>

#include "kernels/cuda/attention.h"
#include "kernels/cuda/decode_plan.h"

namespace pitwall::cuda {

struct DecodePlan {
  std::int32_t* arrived = nullptr;  ///< [parts]: finished pieces of the pair whose first part this is
  Piece* parts = nullptr;           ///< [parts]: the first piece of each
  Piece* pieces = nullptr;          ///< the others (PartWalk)
  /// [2·parts][group][padded head_dim + 4]: the unnormalised output; what powers are relative to and their
  /// sum
  float* partials = nullptr;
};
DecodePlan decode_plan_at(const DecodeWorkspace& workspace, int rows, int kv_heads, int multiprocessors);

}  // namespace pitwall::cuda
