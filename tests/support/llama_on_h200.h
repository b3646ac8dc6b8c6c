// SPDX-License-Identifier: GPL-3.0-or-later
// llama-3.1-8b on one H200, KV of 16 bits: what the simulator's test and bench play on.
#pragma once
#include "engine/bench/simulated_machine.h"
#include "engine/bench/simulation.h"
#include "engine/library/model_profile.h"
#include "engine/plan/gpu_profile.h"
#include "engine/plan/model_outline.h"
#include "engine/plan/roofline.h"

namespace pitwall::test {

struct LlamaOnH200 {
  ModelSpec spec = find_model_spec("llama-3.1-8b").value();
  GpuProfile gpu = find_gpu("H200").value();
  ModelOutline outline = outline_of(spec);
  RooflineStepTime model{outline, gpu, {}};

  SimulationConfig config() const {
    MachineWish wish;
    wish.model = outline;
    wish.gpu = gpu;
    const SimulatedMachine machine = make_machine(wish).value();
    SimulationConfig config;
    config.scheduler.max_num_seqs = 256;
    config.scheduler.max_num_batched_tokens = 8192;
    config.scheduler.max_model_len = machine.max_model_len;
    config.cache.blocks = machine.blocks;
    config.cache.block_size = wish.layout.block_size;
    return config;
  }
};

}  // namespace pitwall::test
