// SPDX-License-Identifier: GPL-3.0-or-later
// Changes applied, and pairs of them: where no single change is enough, each of the largest is made and what
// would then be enough is looked for.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "engine/plan/amounts.h"
#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_memory.h"

namespace pitwall {

namespace {

constexpr std::size_t kFirstChanges = 3;  // those that free most; each takes some dozens of plans

/// "8,192"; nothing where it is no number.
std::optional<std::int64_t> count_of(std::string text) {
  std::erase(text, ',');
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// All that a replica needs, in whole replicas.
int whole_replicas(const Deployment& d) {
  return static_cast<int>(rounded_up(d.gpus, std::int64_t{d.tensor_parallel} * d.pipeline_parallel));
}

/// True where `setting` is a number and was set.
bool set_number(Deployment& d, const std::string& setting, std::int64_t number) {
  const int small = static_cast<int>(number);
  if (setting == "requests") {
    d.requests = small;
  } else if (setting == "max-num-seqs") {
    d.max_num_seqs = small;
    d.shared_context = false;  // slots that are counted have a context each
  } else if (setting == "max-model-len") {
    d.max_model_len = number;
  } else if (setting == "max-num-batched-tokens") {
    d.max_num_batched_tokens = small;
  } else if (setting == "tensor-parallel-size") {
    d.tensor_parallel = small;
    d.gpus = whole_replicas(d);
  } else if (setting == "pipeline-parallel-size") {
    d.pipeline_parallel = small;
    d.gpus = whole_replicas(d);
  } else {
    return false;
  }
  return true;
}

bool set_word(Deployment& d, const std::string& setting, const std::string& word) {
  if (setting == "gpu-memory-utilization") {
    d.budget.meaning = MemoryBudget::Meaning::share_of_total;
    d.budget.share = std::strtod(word.c_str(), nullptr);
  } else if (setting == "kv-cache-memory-bytes") {
    const auto bytes = parse_size(word);
    if (!bytes) return false;
    d.budget.meaning = MemoryBudget::Meaning::kv_bytes;
    d.budget.bytes = *bytes;
  } else if (setting == "memory-limit" || setting == "memory-margin") {
    const auto bytes = parse_size(word);
    if (!bytes) return false;
    d.budget.meaning =
        setting == "memory-limit" ? MemoryBudget::Meaning::bytes : MemoryBudget::Meaning::margin;
    d.budget.bytes = *bytes;
  } else if (const auto budget = budget_of(setting, word)) {
    d.budget.meaning = budget->meaning;
    d.budget.share = budget->share;
  } else if (setting == "kv-cache-dtype") {
    d.kv_cache_dtype = word;
  } else if (setting == "quantization") {
    d.quantization = word;
  } else if (setting == "expert-parallel") {
    d.expert_parallel = word == "on";
  } else if (setting == "cuda-graphs") {
    d.graphs = word == "on";
  } else if (setting == "prompt-logprobs") {
    d.prompt_logprobs = word == "on";
  } else {
    return false;
  }
  return true;
}

/// The fewest stages with which a replica of so many ranks fits: GPUs of further hosts.
std::optional<Fix> more_stages(const DeploymentPlan& plan) {
  constexpr int kMostStages = 64;
  const int now = plan.asked.pipeline_parallel;
  for (int stages = now + 1; stages <= kMostStages; ++stages) {
    Fix fix{"pipeline-parallel-size", std::to_string(now), std::to_string(stages), 0, true, "", {}};
    const auto changed = with_fix(plan.asked, fix);
    if (!changed) return std::nullopt;
    const auto planned = plan_memory(*changed, plan.model, plan.gpu);
    if (!planned) return std::nullopt;  // more stages than layers
    fix.cost = fmt::format("{} more GPUs of further hosts, and a way through each stage",
                           changed->gpus - plan.asked.gpus);
    if (planned->verdict == Verdict::fits) return fix;
  }
  return std::nullopt;
}

}  // namespace

Result<Deployment> with_fix(Deployment d, const Fix& fix) {
  const auto number = count_of(fix.to);
  if (!(number && set_number(d, fix.setting, *number)) && !set_word(d, fix.setting, fix.to))
    return Error{Error::Kind::unsupported, "No plan takes " + fix.to + " as " + fix.setting, "", "",
                 fix.setting};
  if (fix.max_model_len) d.max_model_len = fix.max_model_len;
  return d;
}

std::vector<Fix> find_fix_pair(const DeploymentPlan& plan, const std::vector<Fix>& fixes) {
  const auto fits = [](const Fix& fix) { return fix.fits; };
  if (std::any_of(fixes.begin(), fixes.end(), fits)) return {};
  std::vector<Fix> best;
  int fewest_gpus = 0;
  Bytes smallest = 0;
  const auto keep = [&](const Deployment& before, const Fix& first, const Fix& second) {
    const auto both = with_fix(before, second);
    if (!both) return;
    const Bytes frees = capped_sum(first.frees, second.frees);
    if (!best.empty() && std::pair(both->gpus, frees) >= std::pair(fewest_gpus, smallest)) return;
    best = {first, second}, fewest_gpus = both->gpus, smallest = frees;
  };
  for (std::size_t i = 0; i < std::min(fixes.size(), kFirstChanges); ++i) {
    const auto changed = with_fix(plan.asked, fixes[i]);
    if (!changed) continue;
    const auto nearer = plan_memory(*changed, plan.model, plan.gpu);
    if (!nearer) continue;
    for (const Fix& second : find_fixes(*nearer))
      if (second.fits && second.setting != fixes[i].setting) keep(*changed, fixes[i], second);
    if (fixes[i].setting != "tensor-parallel-size") continue;
    if (const auto stages = more_stages(*nearer)) keep(*changed, fixes[i], *stages);
  }
  return best;
}

}  // namespace pitwall
