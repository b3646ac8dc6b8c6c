// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/serve_settings.h"

#include <string_view>

#include "engine/settings/settings.h"

namespace pitwall::ui {

namespace {

bool takes(std::string_view name, std::string_view value) {
  Settings probe;
  return probe.set(name, value).ok();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> serve_settings(const DeploymentPlan& plan) {
  const Deployment& d = plan.asked;
  std::vector<std::pair<std::string, std::string>> settings;
  const auto add = [&](const char* name, const std::string& value) { settings.emplace_back(name, value); };
  add("max-model-len", d.max_model_len ? std::to_string(*d.max_model_len) : "auto");
  add("max-num-seqs", std::to_string(d.max_num_seqs));
  add("max-num-batched-tokens", std::to_string(d.max_num_batched_tokens));
  add("block-size", std::to_string(d.block_size));
  add("enable-prefix-caching", d.prefix_caching ? "true" : "false");
  if (takes("kv-cache-dtype", d.kv_cache_dtype)) add("kv-cache-dtype", d.kv_cache_dtype);
  // Whatever the limit was said to mean, it is so many bytes: those mean the same everywhere.
  using Meaning = MemoryBudget::Meaning;
  const bool kv_alone = d.budget.meaning == Meaning::kv_bytes, none = d.budget.meaning == Meaning::automatic;
  add("kv-cache-memory-bytes", kv_alone ? std::to_string(d.budget.bytes) : "auto");
  add("memory-limit", kv_alone || none ? "auto" : std::to_string(plan.worst_rank().limit));
  return settings;
}

}  // namespace pitwall::ui
