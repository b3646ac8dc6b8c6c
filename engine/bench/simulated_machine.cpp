// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/simulated_machine.h"

#include <algorithm>
#include <limits>

#include "engine/plan/model_memory.h"

namespace pitwall {

namespace {

constexpr Bytes kWeightBytes = 2;

int whole_blocks(Bytes bytes, Bytes block) {
  return static_cast<int>(std::min<Bytes>(bytes / block, std::numeric_limits<int>::max()));
}

Error no_room(std::string what, std::string action, std::string param) {
  return {Error::Kind::out_of_memory, std::move(what), "", std::move(action), std::move(param)};
}

}  // namespace

Result<SimulatedMachine> make_machine(const MachineWish& wish) {
  const Bytes weights = kWeightBytes * count_parameters(wish.spec).total();
  const Bytes limit =
      std::min(wish.memory_limit.value_or(wish.gpu.memory), wish.gpu.memory - wish.gpu.reserve());
  const Bytes pool = wish.kv_bytes.value_or(limit - weights);
  const Bytes block = wish.layout.bytes_per_block();
  if (wish.kv_bytes && pool < block) {
    return no_room(
        "kv-cache-memory-bytes is " + format_bytes(pool) + "; one KV block takes " + format_bytes(block),
        "Raise kv-cache-memory-bytes, or leave it at auto", "kv-cache-memory-bytes");
  }
  if (pool < block) {
    return no_room(
        wish.spec.name + " needs " + format_bytes(weights) + " for weights and at least " +
            format_bytes(block) + " of KV cache; " + wish.gpu.name + " leaves " + format_bytes(limit),
        "Take a larger GPU or a smaller model, raise memory-limit, or give kv-cache-memory-bytes", "gpu");
  }
  SimulatedMachine machine;
  machine.blocks = whole_blocks(pool, block);
  machine.swap_blocks = whole_blocks(wish.swap_space, block);
  const Bytes pool_tokens = Bytes{machine.blocks} * wish.layout.block_size;
  if (wish.max_model_len && *wish.max_model_len > pool_tokens) {
    return no_room("The KV cache holds " + format_count(pool_tokens) + " tokens in " + format_bytes(pool) +
                       "; max-model-len is " + format_count(*wish.max_model_len),
                   "Lower max-model-len, or raise kv-cache-memory-bytes", "max-model-len");
  }
  machine.max_model_len =
      static_cast<int>(std::min<Bytes>(wish.max_model_len.value_or(wish.spec.context_length), pool_tokens));
  LedgerSnapshot& ledger = machine.ledger;
  ledger.bytes[static_cast<std::size_t>(Category::weights)] = weights;
  ledger.bytes[static_cast<std::size_t>(Category::kv)] = Bytes{machine.blocks} * block;
  ledger.kv_free = ledger.of(Category::kv);
  ledger.limit = limit;
  ledger.device_total = wish.gpu.memory;
  ledger.measured = ledger.accounted();
  return machine;
}

}  // namespace pitwall
