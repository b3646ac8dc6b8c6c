// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/planned_memory.h"

#include "engine/plan/machine_profile.h"

namespace pitwall::ui {

namespace {

Deployment deployment_of(const std::string& model, const Settings& settings, const LedgerSnapshot& booked) {
  Deployment asked;
  asked.model = model;
  asked.gpu = kThisMachine;
  asked.max_num_seqs = static_cast<int>(settings.integer("max-num-seqs"));
  asked.max_num_batched_tokens = static_cast<int>(settings.integer("max-num-batched-tokens"));
  asked.block_size = static_cast<int>(settings.integer("block-size"));
  asked.threads = static_cast<int>(settings.integer("threads"));
  asked.swap_space = settings.integer("swap-space");
  asked.prefix_caching = settings.flag("enable-prefix-caching");
  asked.kv_cache_dtype = settings.text("kv-cache-dtype");
  if (!settings.is_auto("max-model-len")) asked.max_model_len = settings.integer("max-model-len");
  asked.budget.other_processes = booked.other_processes;
  if (!settings.is_auto("memory-limit")) {
    asked.budget.meaning = MemoryBudget::Meaning::bytes;
    asked.budget.bytes = settings.integer("memory-limit");
  }
  if (!settings.is_auto("kv-cache-memory-bytes")) {
    asked.budget.meaning = MemoryBudget::Meaning::kv_bytes;
    asked.budget.bytes = settings.integer("kv-cache-memory-bytes");
  }
  return asked;
}

}  // namespace

Result<RankPlan> planned_memory(const std::string& model, const Settings& settings,
                                const LedgerSnapshot& booked) {
  if (booked.swap_apart)
    return Error{Error::Kind::unsupported, "Memory of a GPU is planned on the Plan page alone", "", "", ""};
  auto outline = read_outline(model);
  if (!outline) return outline.error();
  GpuProfile host;  // bytes need no speeds, and measuring them would disturb what is served
  host.name = kThisMachine;
  host.memory = booked.device_total;
  auto plan = plan_memory(deployment_of(model, settings, booked), *outline, host);
  if (!plan) return plan.error();
  return plan->worst_rank();
}

}  // namespace pitwall::ui
