// SPDX-License-Identifier: GPL-3.0-or-later
// SimulatedMachine: GPUs with a model's weights on them, and the KV pool that is left.
#pragma once
#include <optional>

#include "engine/plan/gpu_profile.h"
#include "engine/plan/model_outline.h"
#include "engine/plan/roofline.h"
#include "engine/telemetry/ledger.h"

namespace pitwall {

struct MachineWish {
  ModelOutline model;
  GpuProfile gpu;
  StepLayout layout;  ///< tensor_parallel = GPUs
  int max_num_seqs = 32, max_num_batched_tokens = 2048;
  std::optional<Bytes> kv_bytes;      ///< of each GPU, instead of what it leaves; may be more than it has
  std::optional<int> max_model_len;   ///< instead of the model's context length; may be more than it has
  std::optional<Bytes> memory_limit;  ///< of each GPU
  Bytes swap_space = 0;               ///< of host memory, for each GPU
};

struct SimulatedMachine {
  int blocks = 0, swap_blocks = 0;
  int max_model_len = 0;  ///< one sequence of this length always fits into the pool
  Bytes block_bytes = 0;  ///< on each GPU
  LedgerSnapshot ledger;  ///< of each GPU, as planned; measured = booked
};

/// The error states what is needed and what is there.
Result<SimulatedMachine> make_machine(const MachineWish& wish);

}  // namespace pitwall
