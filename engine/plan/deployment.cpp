// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/profile_list.h"
#include "engine/base/text_escape.h"
#include "engine/plan/engine_profile.h"

namespace pitwall {

namespace {

constexpr std::int64_t kMostTokens = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostSequences = 1'000'000;
constexpr int kMostGpus = 65'536, kMostBlock = 1 << 16;

struct Range {
  const char* setting;
  std::int64_t value, least, most;
};

Error out_of_range(const Range& range) {
  return {Error::Kind::invalid_input,
          fmt::format("{} is {}; it must be from {} to {}", range.setting, format_count(range.value),
                      format_count(range.least), format_count(range.most)),
          "", fmt::format("Give another {}", range.setting), range.setting};
}

Error bad_lengths(const char* smaller, std::int64_t a, const char* larger, std::int64_t b) {
  return {Error::Kind::invalid_input,
          fmt::format("The length {} is {}, above {}, which is {}", smaller, format_count(a), larger,
                      format_count(b)),
          "", "Give lengths in order: p50, p95, max", "lengths"};
}

struct LawName {
  std::string_view name;
  KvLaw law;
};
constexpr LawName kLaws[] = {{"pitwall", KvLaw::pitwall}, {"needed", KvLaw::needed},
                             {"vllm", KvLaw::vllm},       {"llama.cpp", KvLaw::llama_cpp},
                             {"full", KvLaw::full},       {"window pool", KvLaw::window_pool}};

std::optional<KvLaw> law_named(std::string_view name) {
  for (const LawName& one : kLaws) {
    if (one.name == name) return one.law;
  }
  return std::nullopt;
}

}  // namespace

std::string_view kv_law_name(KvLaw law) {
  for (const LawName& one : kLaws) {
    if (one.law == law) return one.name;
  }
  return "";
}

Result<EngineChoice> find_engine_choice(std::string_view name) {
  if (name == "auto") return EngineChoice{"auto", std::nullopt, nullptr};
  for (const KvLaw law : {KvLaw::needed, KvLaw::full}) {
    if (kv_law_name(law) == name) return EngineChoice{std::string(name), law, nullptr};
  }
  const auto engine = find_engine(name);
  if (engine) return EngineChoice{(*engine)->name, law_named((*engine)->kv_law), *engine};
  return Error{Error::Kind::invalid_input, "Engine " + quote_for_message(name) + " is unknown", "",
               "Take one of these: auto, needed, full, " + profile_names(engine_profiles()), "engine"};
}

bool MemoryBudget::takes_share() const {
  return meaning == Meaning::share_of_total || meaning == Meaning::share_static ||
         meaning == Meaning::share_of_free || meaning == Meaning::share_after_weights;
}

int expert_ranks(const Deployment& deployment) {
  return deployment.expert_parallel ? deployment.gpus / std::max(deployment.pipeline_parallel, 1)
                                    : deployment.tensor_parallel;
}

Result<void> check(const Deployment& asked) {
  const MemoryBudget& budget = asked.budget;
  const Range ranges[] = {{"gpus", asked.gpus, 1, kMostGpus},
                          {"tensor-parallel-size", asked.tensor_parallel, 1, kMostGpus},
                          {"pipeline-parallel-size", asked.pipeline_parallel, 1, kMostGpus},
                          {"max-num-seqs", asked.max_num_seqs, 1, kMostSequences},
                          {"max-num-batched-tokens", asked.max_num_batched_tokens, 1, 1 << 24},
                          {"block-size", asked.block_size, 1, kMostBlock},
                          {"threads", asked.threads, 0, 1024},
                          {"swap-space", asked.swap_space, 0, Bytes{1} << 50},
                          {"max-model-len", asked.max_model_len.value_or(1), 1, kMostTokens},
                          {"requests", asked.requests, 0, kMostSequences},
                          {"lengths", asked.lengths.p50, 0, kMostTokens},
                          {"lengths", asked.lengths.p95, 0, kMostTokens},
                          {"lengths", asked.lengths.max, 0, kMostTokens},
                          {"shared-prefix", asked.shared_prefix, 0, kMostTokens},
                          {"prompt-tokens", asked.prompt_tokens, 0, kMostTokens},
                          {"output-tokens", asked.output_tokens, 0, kMostTokens},
                          {"memory-limit", budget.bytes, 0, Bytes{1} << 50},
                          {"other-processes", budget.other_processes, 0, Bytes{1} << 50}};
  for (const Range& range : ranges) {
    if (range.value < range.least || range.value > range.most) return out_of_range(range);
  }
  for (const std::int64_t length : asked.lengths.trace) {
    if (length < 1 || length > kMostTokens) return out_of_range({"lengths", length, 1, kMostTokens});
  }
  for (const int size : asked.graph_sizes) {
    if (size < 1 || size > kMostSequences) return out_of_range({"graph-sizes", size, 1, kMostSequences});
  }
  if (std::int64_t{asked.tensor_parallel} * asked.pipeline_parallel > asked.gpus ||
      asked.gpus % (asked.tensor_parallel * asked.pipeline_parallel) != 0) {
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} GPUs cannot be shared out to replicas of {} ranks × {} stages", asked.gpus,
                             asked.tensor_parallel, asked.pipeline_parallel),
                 "", "Take a number of GPUs that tensor-parallel-size × pipeline-parallel-size divides",
                 "tensor-parallel-size"};
  }
  if (auto engine = find_engine_choice(asked.engine); !engine) return std::move(engine).error();
  if (budget.takes_share() && !(budget.share > 0 && budget.share <= 1)) {
    const bool of_free = budget.meaning == MemoryBudget::Meaning::share_of_free;
    const char* setting = of_free ? "free-gpu-memory-fraction" : "gpu-memory-utilization";
    return Error{Error::Kind::invalid_input,
                 fmt::format("{} is {}; it must be above 0 and at most 1", setting, budget.share), "",
                 "Give a share such as 0.9", setting};
  }
  const bool needs_bytes =
      budget.meaning == MemoryBudget::Meaning::bytes || budget.meaning == MemoryBudget::Meaning::kv_bytes;
  if (needs_bytes && budget.bytes == 0) return out_of_range({"memory-limit", 0, 1, Bytes{1} << 50});
  const LengthMix& lengths = asked.lengths;
  if (lengths.p50 > 0 && lengths.p95 > 0 && lengths.p50 > lengths.p95)
    return bad_lengths("p50", lengths.p50, "p95", lengths.p95);
  if (lengths.p95 > 0 && lengths.max > 0 && lengths.p95 > lengths.max)
    return bad_lengths("p95", lengths.p95, "max", lengths.max);
  for (const double limit : {asked.ttft_limit_ms, asked.tpot_limit_ms}) {
    if (!(limit >= 0 && std::isfinite(limit))) {
      return Error{Error::Kind::invalid_input, fmt::format("A latency limit is {} ms", limit), "",
                   "Give 0 for none, or a time", "ttft-limit"};
    }
  }
  return {};
}

}  // namespace pitwall
