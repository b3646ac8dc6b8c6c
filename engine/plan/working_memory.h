// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank holds beside weights and KV, by category: of this engine as its back ends take it before the
// first step, of other engines by what is published of them.
#pragma once
#include <array>

#include "engine/plan/gpu_profile.h"
#include "engine/plan/model_outline.h"
#include "engine/telemetry/ledger.h"

namespace pitwall {

struct WorkingShape {
  int step_tokens = 0, sequences = 0;
  int tensor_parallel = 1;
  int communicating = 1;       ///< GPUs that share the experts: those, or tensor_parallel where that is more
  std::int64_t positions = 0;  ///< longest sequence served
  int block_size = 32;
  int graphs = 0;  ///< captured batch sizes
  bool prompt_logprobs = false;
  // Of a CPU.
  int threads = 1;
  bool with_kv = true;  ///< false: before KV has memory, when its share is decided
  std::int64_t pool_blocks = 0, swap_blocks = 0;
};

using CategoryBytes = std::array<Bytes, kCategoryCount>;

/// Exactly what kernels/cpu books (tests/integration/plan_engine_test.cpp), its arithmetic automatic. Of
/// models that this engine runs.
CategoryBytes cpu_working_memory(const ModelOutline& model, const WorkingShape& shape);

/// kernels/cuda: arenas by their own law, and what the profile says of driver and libraries.
CategoryBytes cuda_working_memory(const ModelOutline& model, const GpuProfile& gpu,
                                  const WorkingShape& shape);

/// What KV of so many layers takes there at most beyond whole blocks: the pages at the arrays' ends.
Bytes cuda_kv_rounding(std::size_t layers, bool has_token_scales);

/// Another engine's.
CategoryBytes other_working_memory(const ModelOutline& model, const GpuProfile& gpu,
                                   const WorkingShape& shape);

/// Rows of logits that one step of this engine has at most.
int logit_rows(int sequences, int step_tokens);

/// Batch sizes that an engine captures for `sequences`, where the user does not say.
int captured_sizes(bool here, int sequences);

}  // namespace pitwall
