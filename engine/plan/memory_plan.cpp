// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace pitwall {

namespace {

constexpr int kSmallestAutomaticLength = 256;
constexpr fmt::format_string<std::string, std::string, std::string>
    kAskedTooSmall = "One sequence of {} tokens needs {} of KV cache; kv-cache-memory-bytes is {}",
    kFreeTooSmall = "One sequence of {} tokens needs {} of KV cache; free for it are {}";

Bytes block_bytes(const KvWish& wish) {
  return wish.rank_block_bytes > 0 ? wish.rank_block_bytes : wish.layout.bytes_per_block();
}

std::int64_t blocks_for(const KvWish& wish, std::int64_t tokens) {
  return (tokens + wish.layout.block_size - 1) / wish.layout.block_size;
}

Bytes bytes_for(const KvWish& wish, std::int64_t tokens) {
  return blocks_for(wish, tokens) * block_bytes(wish);
}

Error too_small(const KvWish& wish, int length, Bytes pool, bool asked_bytes) {
  return {.kind = Error::Kind::out_of_memory,
          .what = fmt::format(asked_bytes ? kAskedTooSmall : kFreeTooSmall, format_count(length),
                              format_bytes(bytes_for(wish, length)), format_bytes(pool)),
          .cause = {},
          .action = asked_bytes
                        ? "Raise kv-cache-memory-bytes, or lower max-model-len"
                        : "Lower max-model-len, choose a smaller kv-cache-dtype, or raise memory-limit",
          .param = asked_bytes ? "kv-cache-memory-bytes" : "max-model-len"};
}

Result<KvPlan> plan_asked_bytes(const KvWish& wish, Bytes room) {
  if (*wish.bytes > room) {
    return Error{.kind = Error::Kind::out_of_memory,
                 .what = fmt::format("kv-cache-memory-bytes is {}; after everything else {} are free",
                                     format_bytes(*wish.bytes), format_bytes(room)),
                 .cause = {},
                 .action = "Lower kv-cache-memory-bytes, or raise memory-limit",
                 .param = "kv-cache-memory-bytes"};
  }
  const std::int64_t blocks = *wish.bytes / block_bytes(wish);
  const int length = wish.max_model_len.value_or(
      static_cast<int>(std::min<std::int64_t>(wish.context_length, blocks * wish.layout.block_size)));
  if (blocks < blocks_for(wish, std::max(length, 1))) {
    return too_small(wish, std::max(length, 1), *wish.bytes, true);
  }
  return KvPlan{static_cast<int>(std::min<std::int64_t>(blocks, std::numeric_limits<int>::max())), length};
}

Result<KvPlan> plan_automatic(const KvWish& wish, Bytes room) {
  const std::int64_t available = room / block_bytes(wish);
  const std::int64_t most = wish.own_device ? available : available / 2;
  int length = wish.max_model_len.value_or(wish.context_length);
  if (!wish.max_model_len && blocks_for(wish, length) > most) {
    length = std::max(smallest_model_len(wish), static_cast<int>(most * wish.layout.block_size));
  }
  const std::int64_t one = blocks_for(wish, length);
  if (one > available) return too_small(wish, length, room, false);
  const std::int64_t blocks = std::max(one, std::min(one * wish.max_num_seqs, most));
  return KvPlan{static_cast<int>(std::min<std::int64_t>(blocks, std::numeric_limits<int>::max())), length};
}

}  // namespace

Bytes device_margin(Bytes device_total) {
  return std::max(device_total / 50, kGiB);
}

int smallest_model_len(const KvWish& wish) {
  return wish.max_model_len.value_or(std::min(wish.context_length, kSmallestAutomaticLength));
}

Result<void> check_room(const KvWish& wish, Bytes weights, Bytes room) {
  const Bytes kv = std::max(bytes_for(wish, smallest_model_len(wish)), wish.bytes.value_or(0));
  if (weights + kv <= room) return {};
  return Error{.kind = Error::Kind::out_of_memory,
               .what = "The model needs " + format_bytes(weights) + " for weights and at least " +
                       format_bytes(kv) + " for its KV cache; " + format_bytes(std::max<Bytes>(room, 0)) +
                       " are free",
               .cause = format_bytes(weights + kv - room) + " are missing",
               .action =
                   "Raise memory-limit or free memory, choose a smaller or more strongly quantized model, or "
                   "lower max-model-len and kv-cache-memory-bytes",
               .param = "memory-limit"};
}

Result<KvPlan> plan_kv(const KvWish& wish, Bytes room) {
  const Bytes for_blocks = std::max<Bytes>(room - wish.pool_rounding, 0);
  return wish.bytes ? plan_asked_bytes(wish, for_blocks) : plan_automatic(wish, for_blocks);
}

}  // namespace pitwall
