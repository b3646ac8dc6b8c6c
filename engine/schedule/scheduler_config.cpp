// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds of every number of the configuration.
#include <string>

#include "engine/schedule/scheduler.h"

namespace pitwall {

namespace {

Error refuse(const char* setting, const std::string& value, std::string action) {
  return {.kind = Error::Kind::invalid_input,
          .what = std::string(setting) + " is " + value,
          .cause = {},
          .action = std::move(action),
          .param = setting};
}

}  // namespace

Result<void> SchedulerConfig::check() const {
  const auto number = [](auto value) { return std::to_string(value); };
  if (max_num_seqs < 1) return refuse("max-num-seqs", number(max_num_seqs), "Use at least 1");
  if (max_num_batched_tokens < max_num_seqs) {
    return refuse("max-num-batched-tokens", number(max_num_batched_tokens),
                  "Use at least max-num-seqs, " + number(max_num_seqs) +
                      ": each running sequence needs one token of a step");
  }
  if (max_model_len < 2)
    return refuse("max-model-len", number(max_model_len), "Use at least 2: one token in, one out");
  if (max_logit_rows < 0) return refuse("max-logit-rows", number(max_logit_rows), "Use 0 for max-num-seqs");
  if (long_prefill_token_threshold < 0) {
    return refuse("long-prefill-token-threshold", number(long_prefill_token_threshold),
                  "Use 0 to turn it off");
  }
  if (max_long_partial_prefills < 0) {
    return refuse("max-long-partial-prefills", number(max_long_partial_prefills), "Use 0 for any number");
  }
  if (!(long_token_share > 0 && long_token_share <= 1))
    return refuse("long-token-share", number(long_token_share), "Use a share above 0, at most 1");
  if (!(long_kv_share > 0 && long_kv_share <= 1))
    return refuse("long-kv-share", number(long_kv_share), "Use a share above 0, at most 1");
  if (!(cached_share >= 0 && cached_share < 1))
    return refuse("cached-share", number(cached_share), "Use a share from 0 to below 1");
  if (target_itl < 0) return refuse("target-itl-ms", number(target_itl), "Use 0 to turn it off");
  if (max_wait < 0) return refuse("max-wait", number(max_wait), "Use 0 or more nanoseconds");
  return {};
}

}  // namespace pitwall
