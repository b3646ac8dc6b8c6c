// SPDX-License-Identifier: GPL-3.0-or-later
// What an engine runs with where nobody says otherwise, so that a plan of its plain command has the bytes of
// that command.
#pragma once
#include <string>

#include "engine/base/units.h"

namespace pitwall {

struct Deployment;

/// Settings of a step by an engine's own defaults.
struct StepDefaults {
  int max_num_seqs, max_num_batched_tokens, block_size;
  bool shared_context;
};

/// Of `deployment.engine` on GPUs of that memory; Deployment's own where no engine is named or the engine has
/// no such default.
StepDefaults step_defaults(const Deployment& deployment, Bytes gpu_memory);

/// "max-num-seqs 1,024, block-size 16": those that the deployment has by the default of its engine; empty
/// where no engine is named.
std::string defaults_taken(const Deployment& deployment, Bytes gpu_memory);

/// After a change of the engine, the GPU or the ranks: what `before` had by its engine's default, and the
/// change left alone, is what `now`'s takes; so is a block size that this engine cannot be told. The demand
/// stays: requests that max-num-seqs stood for are stated where it grows. Slots that were stated share no
/// context.
void follow_engine(const Deployment& before, Deployment& now);

}  // namespace pitwall
