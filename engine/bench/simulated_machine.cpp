// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/simulated_machine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/plan/deployment_plan.h"

namespace pitwall {

namespace {

constexpr std::int64_t kMostTokens = std::numeric_limits<int>::max();

int whole_blocks(Bytes bytes, Bytes block) {
  return static_cast<int>(std::min<Bytes>(bytes / block, std::numeric_limits<int>::max()));
}

Error no_room(std::string what, std::string action, std::string param) {
  return {Error::Kind::out_of_memory, std::move(what), "", std::move(action), std::move(param)};
}

/// What the plan gives each GPU, before KV that was asked for.
Result<RankPlan> rank_of(const MachineWish& wish) {
  Deployment deployment;
  deployment.gpu = wish.gpu.name;
  deployment.gpus = deployment.tensor_parallel = wish.layout.tensor_parallel;
  deployment.max_num_seqs = wish.max_num_seqs;
  deployment.max_num_batched_tokens = wish.max_num_batched_tokens;
  deployment.block_size = wish.layout.block_size;
  if (!wish.layout.kv.name.empty()) deployment.kv_cache_dtype = wish.layout.kv.name;
  if (wish.memory_limit) deployment.budget = {MemoryBudget::Meaning::bytes, 0, *wish.memory_limit, 0};
  const auto plan = plan_memory(deployment, wish.model, wish.gpu);
  if (!plan) return plan.error();
  return plan->worst_rank();
}

}  // namespace

Result<SimulatedMachine> make_machine(const MachineWish& wish) {
  const auto rank = rank_of(wish);
  if (!rank) return rank.error();
  const Bytes weights = rank->of(Category::weights);
  const Bytes pool = wish.kv_bytes.value_or(rank->of(Category::kv));
  const auto block = static_cast<Bytes>(std::llround(kv_block_bytes(wish.model, wish.layout)));
  if (wish.kv_bytes && pool < block) {
    return no_room(
        "kv-cache-memory-bytes is " + format_bytes(pool) + "; one KV block takes " + format_bytes(block),
        "Raise kv-cache-memory-bytes, or leave it at auto", "kv-cache-memory-bytes");
  }
  if (pool < block) {
    return no_room(
        wish.model.name + " needs " + format_bytes(weights) + " for weights and at least " +
            format_bytes(block) + " of KV cache; " + wish.gpu.name + " leaves " +
            format_bytes(rank->limit - rank->total() + rank->of(Category::weights) + rank->of(Category::kv)),
        "Take a larger GPU or a smaller model, raise memory-limit, or give kv-cache-memory-bytes", "gpu");
  }
  SimulatedMachine machine;
  machine.block_bytes = block;
  machine.blocks = whole_blocks(pool, std::max<Bytes>(block, 1));
  machine.swap_blocks = whole_blocks(wish.swap_space, std::max<Bytes>(block, 1));
  const Bytes pool_tokens = Bytes{machine.blocks} * wish.layout.block_size;
  if (wish.max_model_len && *wish.max_model_len > pool_tokens) {
    return no_room("The KV cache holds " + format_count(pool_tokens) + " tokens in " + format_bytes(pool) +
                       "; max-model-len is " + format_count(*wish.max_model_len),
                   "Lower max-model-len, or raise kv-cache-memory-bytes", "max-model-len");
  }
  const std::int64_t made_for = wish.model.context_length > 0 ? wish.model.context_length : pool_tokens;
  machine.max_model_len = static_cast<int>(
      std::min<std::int64_t>({wish.max_model_len.value_or(made_for), pool_tokens, kMostTokens}));
  LedgerSnapshot& ledger = machine.ledger;
  ledger.bytes = rank->bytes;
  ledger.bytes[static_cast<std::size_t>(Category::kv)] = Bytes{machine.blocks} * block;
  ledger.kv_free = ledger.of(Category::kv);
  ledger.limit = rank->limit;
  ledger.device_total = wish.gpu.memory;
  ledger.measured = ledger.accounted();
  return machine;
}

}  // namespace pitwall
