// SPDX-License-Identifier: GPL-3.0-or-later
// How many KV blocks an engine takes and how long a sequence may become. Arithmetic only.
#pragma once
#include <cstdint>
#include <optional>

#include "engine/base/result.h"
#include "engine/cache/kv_layout.h"

namespace pitwall {

struct KvWish {
  KvLayout layout;
  Bytes rank_block_bytes = 0;  ///< of a block as one device holds it; 0 = the whole layout's
  Bytes pool_rounding = 0;     ///< what the device may take beyond whole blocks
  int context_length = 0;      ///< of the model
  int max_num_seqs = 0;
  std::optional<int> max_model_len;  ///< asked for; none = auto
  std::optional<Bytes> bytes;        ///< kv-cache-memory-bytes; none = auto
  bool own_device = false;           ///< a GPU: nobody else needs what is left of its memory
};

/// Left free on a GPU: what its driver and other programs may still take, 2 % and at least 1 GiB.
Bytes device_margin(Bytes device_total);

struct KvPlan {
  int blocks = 0;
  int max_model_len = 0;  ///< one sequence of this length always fits into the pool
};

/// The shortest sequence worth serving: what was asked for, or 256 tokens where the model allows them.
int smallest_model_len(const KvWish& wish);

/// Before anything big is loaded: do the weights and the smallest KV cache fit into `room`? The error states
/// all three numbers.
Result<void> check_room(const KvWish& wish, Bytes weights, Bytes room);

/// After loading, with what is left. Auto takes enough for max_num_seqs sequences of max_model_len, at most
/// half of `room` (all of it on a device of its own), and always one sequence; an automatic max_model_len
/// shrinks to what the pool holds.
Result<KvPlan> plan_kv(const KvWish& wish, Bytes room);

}  // namespace pitwall
