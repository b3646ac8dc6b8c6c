// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/scheduler_settings.h"

namespace pitwall {

namespace {

SchedulingPolicy policy(const std::string& name) {
  if (name == "priority") return SchedulingPolicy::priority;
  if (name == "fair") return SchedulingPolicy::fair;
  return name == "length-grouped" ? SchedulingPolicy::length_grouped : SchedulingPolicy::fcfs;
}

Preemption preemption(const std::string& name) {
  if (name == "recompute") return Preemption::recompute;
  return name == "swap" ? Preemption::swap : Preemption::automatic;
}

Nanos from_ms(double ms) {
  return static_cast<Nanos>(ms * static_cast<double>(kNanosPerMs));
}

}  // namespace

Result<SchedulerConfig> scheduler_config(const Settings& settings) {
  SchedulerConfig config;
  config.max_num_seqs = static_cast<int>(settings.integer("max-num-seqs"));
  config.max_num_batched_tokens = static_cast<int>(settings.integer("max-num-batched-tokens"));
  config.policy = policy(settings.text("scheduling-policy"));
  config.batching = settings.text("batching") == "static" ? Batching::fixed : Batching::continuous;
  config.preemption = preemption(settings.text("preemption"));
  config.long_prefill_token_threshold = static_cast<int>(settings.integer("long-prefill-token-threshold"));
  config.max_long_partial_prefills = static_cast<int>(settings.integer("max-long-partial-prefills"));
  config.long_token_share = settings.real("long-token-share");
  config.long_kv_share = settings.real("long-kv-share");
  config.cached_share = settings.real("prefix-cache-share");
  config.target_itl = from_ms(settings.real("target-itl-ms"));
  config.max_wait = from_ms(settings.real("max-wait-ms"));
  if (config.preemption == Preemption::swap && settings.integer("swap-space") == 0) {
    return Error{.kind = Error::Kind::invalid_input,
                 .what = "preemption is swap, but there is no swap space",
                 .cause = {},
                 .action = "Set swap-space, such as 2GiB, or choose preemption recompute or auto",
                 .param = "swap-space"};
  }
  return config;
}

}  // namespace pitwall
