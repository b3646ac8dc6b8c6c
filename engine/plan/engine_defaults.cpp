// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_defaults.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/deployment.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "engine/plan/flag_value.h"
#include "engine/plan/gpu_profile.h"

namespace pitwall {

namespace {

struct StepSetting {
  std::string_view name;
  int Deployment::*value;
  int StepDefaults::*unasked;
};
constexpr StepSetting kSettings[] = {
    {"max-num-seqs", &Deployment::max_num_seqs, &StepDefaults::max_num_seqs},
    {"max-num-batched-tokens", &Deployment::max_num_batched_tokens, &StepDefaults::max_num_batched_tokens},
    {"block-size", &Deployment::block_size, &StepDefaults::block_size}};

const EngineProfile* engine_of(const Deployment& deployment) {
  const auto choice = find_engine_choice(deployment.engine);
  return choice ? choice->engine : nullptr;
}

StepDefaults step_defaults(const Deployment& deployment) {
  const auto gpu = find_gpu(deployment.gpu);
  return step_defaults(deployment, gpu ? gpu->memory : 0);
}

bool takes_block(const EngineProfile& engine, int size) {
  return engine.find("block-size") == nullptr || can_tell(engine, "block-size", fmt::format("{}", size));
}

}  // namespace

StepDefaults step_defaults(const Deployment& deployment, Bytes gpu_memory) {
  Deployment unasked;
  if (const EngineProfile* engine = engine_of(deployment)) {
    EngineSettings said;
    said.values["tensor-parallel-size"] = fmt::format("{}", deployment.tensor_parallel);
    if (const int sharing = expert_ranks(deployment) / std::max(deployment.tensor_parallel, 1); sharing > 1) {
      said.values["data-parallel-size"] = fmt::format("{}", sharing);
      said.values["attention-data-parallel"] = "true";
    }
    unasked = deployment_of(said, *engine, MemoryTerms{.total = gpu_memory, .gpu = deployment.gpu});
  }
  return {unasked.max_num_seqs, unasked.max_num_batched_tokens, unasked.block_size, unasked.shared_context};
}

std::string defaults_taken(const Deployment& deployment, Bytes gpu_memory) {
  const EngineProfile* engine = engine_of(deployment);
  if (engine == nullptr) return "";
  const StepDefaults unasked = step_defaults(deployment, gpu_memory);
  std::string taken;
  for (const StepSetting& setting : kSettings) {
    if (engine->find(setting.name) == nullptr || deployment.*setting.value != unasked.*setting.unasked)
      continue;
    taken += fmt::format("{}{} {}", taken.empty() ? "" : ", ", setting.name,
                         format_count(deployment.*setting.value));
  }
  return taken;
}

void follow_engine(const Deployment& before, Deployment& now) {
  if (before.engine == now.engine && before.gpu == now.gpu && before.tensor_parallel == now.tensor_parallel &&
      expert_ranks(before) == expert_ranks(now))
    return;
  const StepDefaults were = step_defaults(before), are = step_defaults(now);
  const int slots = now.max_num_seqs;
  if (before.engine != now.engine)
    now.shared_context = are.shared_context && slots == before.max_num_seqs && slots == were.max_num_seqs;
  for (const StepSetting& setting : kSettings) {
    const int held = before.*setting.value;
    if (now.*setting.value == held && held == were.*setting.unasked)
      now.*setting.value = are.*setting.unasked;
  }
  if (now.requests == 0 && now.max_num_seqs > slots) now.requests = slots;
  if (const EngineProfile* engine = engine_of(now);
      engine != nullptr && !takes_block(*engine, now.block_size))
    now.block_size = are.block_size;
}

}  // namespace pitwall
