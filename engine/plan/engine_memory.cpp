// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/engine_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_profile.h"
#include "engine/plan/engine_settings.h"
#include "engine/plan/flag_value.h"

namespace pitwall {

namespace {

using Meaning = MemoryBudget::Meaning;

constexpr int kDigits = 4, kMostDigits = 9;  // of a share; 4 are finer than 20 MiB on the largest GPU

struct BudgetName {
  Meaning meaning;
  std::string_view setting;
};
constexpr BudgetName kBudgets[] = {{Meaning::bytes, "memory-limit"},
                                   {Meaning::share_of_total, "memory-share-of-total"},
                                   {Meaning::share_static, "memory-share-static"},
                                   {Meaning::share_of_free, "memory-share-of-free"},
                                   {Meaning::share_after_weights, "memory-share-after-weights"},
                                   {Meaning::kv_bytes, "kv-cache-memory-bytes"},
                                   {Meaning::margin, "memory-margin"}};

/// A share's base and what it has to hold beside KV; none for settings that are no share.
struct ShareOf {
  Bytes base = 0, beside = 0;
  std::string_view meaning;
};
std::optional<ShareOf> share_of(std::string_view setting, const MemoryTerms& terms) {
  if (setting == "memory-share-of-total")
    return ShareOf{terms.total, terms.loaded(), "a share of the GPU's total, for everything"};
  if (setting == "memory-share-static")
    return ShareOf{terms.total, terms.weights, "a share of the GPU's total, for weights and KV alone"};
  if (setting == "memory-share-of-free")
    return ShareOf{terms.total - terms.loaded(), 0, "a share of what is free after loading, for KV alone"};
  if (setting == "memory-share-after-weights")
    return ShareOf{terms.total - terms.weights, 0, "a share of what the weights leave, for KV alone"};
  return std::nullopt;
}

Bytes share_bytes(double share, Bytes base) {
  return std::llround(share * static_cast<double>(base));
}

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// What the pool holds of `kv` in whole blocks.
Bytes whole_blocks(Bytes kv, const MemoryTerms& terms) {
  return terms.kv_block > 0 ? kv / terms.kv_block * terms.kv_block : kv;
}

/// The shortest share with the same blocks; rounded down where blocks are not known.
std::optional<std::string> share_value(Bytes kv, const ShareOf& share, const MemoryTerms& terms) {
  if (share.base <= 0) return std::nullopt;
  const auto base = static_cast<double>(share.base);
  const Bytes blocks = whole_blocks(kv, terms);
  // A byte more: who multiplies back may cut it off.
  const double exact = static_cast<double>((terms.kv_block > 0 ? blocks + 1 : kv) + share.beside) / base;
  for (int digits = terms.kv_block > 0 ? 2 : kDigits; digits <= kMostDigits; ++digits) {
    const double unit = std::pow(10.0, digits);
    const double rounded =
        (terms.kv_block > 0 ? std::ceil(exact * unit - 1e-6) : std::floor(exact * unit + 1e-6)) / unit;
    const Bytes reached = share_bytes(rounded, share.base) - share.beside;
    if (terms.kv_block > 0 && whole_blocks(reached, terms) != blocks) continue;
    if (rounded <= 0 || rounded > 1) return std::nullopt;
    return fmt::format("{}", rounded);
  }
  return std::nullopt;
}

/// Saturates: token counts come from people.
Bytes times(Bytes a, Bytes b) {
  Bytes product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::int64_t{1} << 62 : product;
}

}  // namespace

MemoryTerms memory_terms_of(const DeploymentPlan& plan) {
  const RankPlan& rank = plan.worst_rank();
  Bytes held = 0;
  for (const Bytes bytes : rank.bytes) held += bytes;
  const Bytes weights = rank.of(Category::weights);
  return {.total = rank.device_total,
          .weights = weights,
          .working = held - weights - rank.of(Category::kv),
          .kv_per_token = rank.kv_bytes_per_token,
          .kv_block = plan.kv_block_bytes,
          .kv = rank.of(Category::kv),
          .gpu = plan.gpu.name,
          .full_length = plan.full_length_requests,
          .max_model_len = plan.max_model_len,
          .has_experts = plan.model.experts > 0};
}

Result<DeploymentPlan> plan_settings(const EngineSettings& settings, const EngineProfile& engine,
                                     const ModelOutline& model, const GpuProfile& gpu, int gpus) {
  const auto planned = [&](const MemoryTerms& terms) {
    Deployment deployment = deployment_of(settings, engine, terms);
    deployment.quantization.clear();
    deployment.gpu = gpu.name;
    deployment.gpus = std::max(gpus, deployment.gpus);
    return plan_memory(deployment, model, gpu);
  };
  const auto first = planned({.total = gpu.memory, .gpu = gpu.name});
  if (!first) return first;
  return planned(memory_terms_of(*first));  // tokens and blocks of KV have bytes now
}

namespace {

/// Whether replicas share the experts there: as told, or as that engine always has it.
bool shares_experts_on(const EngineProfile& engine, const Deployment& deployment) {
  const EngineSetting* setting = engine.find("attention-data-parallel");
  if (setting == nullptr) return false;
  const EngineFlag& flag = setting->flags.front();
  const bool counts = engine.find("data-parallel-size") != nullptr;
  if (flag.shown().empty()) return flag.default_value == "true";
  return deployment.expert_parallel && (counts || deployment.tensor_parallel == 1);
}

}  // namespace

std::optional<MemoryTerms> memory_terms_on(const EngineProfile& engine, const DeploymentPlan& plan) {
  Deployment there = plan.asked;
  there.engine = engine.name;
  there.quantization.clear();  // the plan's model has it already
  there.budget = {.other_processes = there.budget.other_processes};
  const auto tells = [&](std::string_view setting, int value) {
    return can_tell(engine, setting, fmt::format("{}", value));
  };
  if (!tells("tensor-parallel-size", there.tensor_parallel)) there.tensor_parallel = 1;
  if (!tells("pipeline-parallel-size", there.pipeline_parallel)) there.pipeline_parallel = 1;
  if (there.gpus > there.tensor_parallel * there.pipeline_parallel)
    there.expert_parallel = shares_experts_on(engine, there);
  if (engine.find("graph-sizes") == nullptr) there.graph_sizes.clear();
  if (plan.engine != engine.name) there.shared_context = !there.max_model_len;
  if (!can_tell(engine, "kv-cache-dtype", plan.kv_format)) there.kv_cache_dtype = "auto";
  if (!tells("block-size", there.block_size)) {
    const EnginePlace place = place_of(there, plan.gpu);
    there.block_size = number_of<int>(engine.default_of("block-size", place));
    if (there.block_size <= 0) there.block_size = 1;
  }
  const auto planned = plan_memory(there, plan.model, plan.gpu);
  return planned ? std::optional(memory_terms_of(*planned)) : std::nullopt;
}

std::optional<std::pair<std::string, std::string>> memory_setting_of(const MemoryBudget& budget) {
  for (const auto& [meaning, setting] : kBudgets) {
    if (meaning != budget.meaning) continue;
    return std::pair(std::string(setting), budget.takes_share() ? fmt::format("{}", budget.share)
                                                                : fmt::format("{}", budget.bytes));
  }
  return std::nullopt;
}

std::optional<MemoryBudget> budget_of(std::string_view setting, std::string_view value) {
  for (const auto& [meaning, name] : kBudgets) {
    if (name != setting) continue;
    MemoryBudget budget{.meaning = meaning};
    if (budget.takes_share()) {
      budget.share = number_of<double>(value);
    } else {
      budget.bytes = number_of<std::int64_t>(value);
    }
    return budget;
  }
  return std::nullopt;
}

namespace {

/// Rounded to three digits, as SGLang does.
double share_beside(const EngineReserve& reserve, const EngineProfile& engine, const Deployment& deployment,
                    const EnginePlace& place) {
  const Bytes tokens =
      std::max(Bytes{deployment.max_num_batched_tokens} * place.replicas, reserve.least_tokens);
  const Bytes rows =
      deployment.graphs ? number_of<std::int64_t>(engine.default_of("graph-max-batch", place)) : 0;
  const Bytes ranks = Bytes{place.ranks} * deployment.pipeline_parallel;
  Bytes kept =
      reserve.fixed + tokens * reserve.of_token + ranks * reserve.of_rank + rows * reserve.of_graph_row;
  if (place.replicas > 1) {
    kept += rows * place.replicas * reserve.of_replica_row;
    if (rows > reserve.many_rows) kept += rows * place.replicas * reserve.of_many_rows;
  }
  if (place.memory > reserve.large_gpu) kept = std::max(kept, reserve.least_on_large);
  return std::round(1000 * static_cast<double>(place.memory - kept) / static_cast<double>(place.memory)) /
         1000;
}

}  // namespace

EnginePlace place_of(const Deployment& deployment, const GpuProfile& gpu) {
  const int ranks = expert_ranks(deployment);
  return {gpu.name, gpu.memory, ranks, std::max(ranks / deployment.tensor_parallel, 1)};
}

MemoryBudget default_budget(const EngineProfile& engine, const Deployment& deployment,
                            const EnginePlace& place) {
  for (const std::string_view name : memory_settings()) {
    const EngineSetting* setting = engine.find(name);
    if (setting == nullptr) continue;
    const EngineFlag& flag = setting->flags.front();
    if (flag.reserve && place.memory > 0) {
      const double share = share_beside(*flag.reserve, engine, deployment, place);
      if (share > 0) return {.meaning = Meaning::share_static, .share = share};
    }
    const std::string value = engine.default_of(name, place);
    if (const auto budget = value.empty() ? std::nullopt : budget_of(name, value)) return *budget;
  }
  return {};
}

const std::vector<std::string_view>& memory_settings() {
  static const std::vector<std::string_view> names = {"kv-cache-memory-bytes",
                                                      "kv-blocks",
                                                      "kv-tokens",
                                                      "memory-limit",
                                                      "memory-share-of-total",
                                                      "memory-share-static",
                                                      "memory-share-of-free",
                                                      "memory-share-after-weights",
                                                      "memory-margin"};
  return names;
}

std::optional<Bytes> kv_bytes_of(std::string_view setting, std::string_view value, const MemoryTerms& terms,
                                 int block_size) {
  if (const auto share = share_of(setting, terms))
    return share_bytes(number_of<double>(value), share->base) - share->beside;
  const auto number = number_of<std::int64_t>(value);
  if (setting == "kv-cache-memory-bytes") return number;
  if (setting == "memory-limit")  // a limit beyond the card caps nothing
    return (terms.total > 0 ? std::min(number, terms.total) : number) - terms.loaded();
  if (setting == "memory-margin") return terms.total - terms.loaded() - number;
  if (terms.kv_per_token <= 0) return std::nullopt;
  if (setting == "kv-tokens") return times(number, terms.kv_per_token);
  if (setting == "kv-blocks") return times(times(number, block_size), terms.kv_per_token);
  return std::nullopt;
}

std::optional<Bytes> kv_bytes_of(const EngineSettings& settings, const MemoryTerms& terms, int block_size) {
  std::optional<Bytes> least;
  for (const std::string_view name : memory_settings()) {
    const std::string* value = settings.find(name);
    if (value == nullptr) continue;
    const auto kv = kv_bytes_of(name, *value, terms, block_size);
    if (kv && (!least || *kv < *least)) least = kv;
    // These two are said to replace the share, not to cap it.
    if (kv && (name == "kv-cache-memory-bytes" || name == "kv-blocks")) return kv;
  }
  return least;
}

std::optional<std::string> memory_value_for(std::string_view setting, Bytes kv, const MemoryTerms& terms,
                                            int block_size) {
  if (kv <= 0) return std::nullopt;
  if (const auto share = share_of(setting, terms)) return share_value(kv, *share, terms);
  Bytes number = 0;
  if (setting == "kv-cache-memory-bytes") number = kv;
  if (setting == "memory-limit") number = kv + terms.loaded();
  if (setting == "memory-margin") {
    number = terms.total - terms.loaded() - whole_blocks(kv, terms);
    if (terms.kv_block > 0 && number >= kMiB) number -= number % kMiB;
  }
  if (terms.kv_per_token > 0) {
    if (setting == "kv-tokens") number = kv / terms.kv_per_token;
    if (setting == "kv-blocks") number = kv / times(terms.kv_per_token, block_size);
  }
  if (number <= 0) return std::nullopt;
  return fmt::format("{}", number);
}

std::string memory_meaning(std::string_view setting, std::string_view value,
                           const std::optional<MemoryTerms>& terms, int block_size) {
  if (const auto share = share_of(setting, terms.value_or(MemoryTerms{}))) {
    std::string text(share->meaning);
    const bool of_rest = setting != "memory-share-of-total" && setting != "memory-share-static";
    if (!terms || (of_rest && terms->weights <= 0)) return text;
    const Bytes bytes = share_bytes(number_of<double>(value), share->base);
    text += fmt::format(": {} × {} = {}", value, format_bytes(share->base), format_bytes(bytes));
    if (share->beside <= 0) return text;
    const Bytes left = bytes - share->beside;
    return text +
           (left > 0
                ? fmt::format("; less {} leaves {} for KV", format_bytes(share->beside), format_bytes(left))
                : fmt::format("; {} are needed beside KV: it does not start", format_bytes(share->beside)));
  }
  const auto number = number_of<std::int64_t>(value);
  const auto kv = terms ? kv_bytes_of(setting, value, *terms, block_size) : std::nullopt;
  if (setting == "kv-tokens" || setting == "kv-blocks") {
    const bool tokens = setting == "kv-tokens";
    const std::string count = format_count(number);
    if (!kv) return count + (tokens ? " tokens of KV" : " blocks of KV");
    return tokens ? fmt::format("{} tokens of KV = {}", count, format_bytes(*kv))
                  : fmt::format("{} blocks of KV = {}", count, format_bytes(*kv));
  }
  if (setting == "kv-cache-memory-bytes") return format_bytes(number) + " of memory for KV";
  const std::string left = format_bytes(std::max(kv.value_or(0), Bytes{0}));
  if (setting == "memory-limit") {
    const std::string text = format_bytes(number) + " of memory for everything";
    return terms ? text + fmt::format("; leaves {} for KV", left) : text;
  }
  const std::string text = format_bytes(number) + " of GPU memory left free";
  return terms ? text + fmt::format("; KV of the context may take up to {}", left) : text;
}

}  // namespace pitwall
