// SPDX-License-Identifier: GPL-3.0-or-later
// SimulatedMachine: one GPU with a model's weights on it, and the KV pool that is left.
#pragma once
#include <optional>

#include "engine/cache/kv_layout.h"
#include "engine/model/model_spec.h"
#include "engine/plan/gpu_profile.h"
#include "engine/telemetry/ledger.h"

namespace pitwall {

struct MachineWish {
  ModelSpec spec;
  GpuProfile gpu;
  KvLayout layout;
  std::optional<Bytes> kv_bytes;     ///< instead of what the GPU leaves; may be more than it has
  std::optional<int> max_model_len;  ///< instead of the model's context length; may be more than it has
  std::optional<Bytes> memory_limit;
  Bytes swap_space = 0;  ///< of host memory
};

struct SimulatedMachine {
  int blocks = 0, swap_blocks = 0;
  int max_model_len = 0;  ///< one sequence of this length always fits into the pool
  LedgerSnapshot ledger;  ///< of the GPU: weights of 16 bits and the pool; measured = booked
};

/// The error states what is needed and what is there.
Result<SimulatedMachine> make_machine(const MachineWish& wish);

}  // namespace pitwall
