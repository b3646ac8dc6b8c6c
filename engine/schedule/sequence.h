// SPDX-License-Identifier: GPL-3.0-or-later
// Sequence: a request's tokens and blocks, and how far each layer of state has come.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/schedule/scheduler.h"

namespace pitwall {

struct Sequence {
  Request request;
  std::vector<TokenId> tokens;  // prompt + committed output
  BlockTable blocks;
  SlotId slot{-1};         // −1 while waiting
  std::int32_t limit = 0;  // most output tokens it may get

  std::int32_t computed = 0;      // committed: tokens whose KV is there
  std::int32_t planned = 0;       // pending: computed once every launched step is over
  std::int32_t sampling = 0;      // pending: tokens that launched steps will sample
  std::int32_t blocks_sent = 0;   // pending: block table entries the executor knows
  std::int32_t acknowledged = 0;  // output tokens the output thread has handled
  std::int32_t evaluated = 0;     // tokens counted as prefill after a preemption: the length to catch up to
  std::uint64_t last_step = 0;    // last launched step that touches it
  bool preempt = false;           // victim: leaves at the next commit
  bool was_scheduled = false;

  std::int32_t prompt() const { return static_cast<std::int32_t>(request.prompt.size()); }
  std::int32_t outputs() const { return static_cast<std::int32_t>(tokens.size()) - prompt(); }
  /// Tokens that exist once every launched step is over.
  std::int32_t known() const { return static_cast<std::int32_t>(tokens.size()) + sampling; }
  std::int32_t remaining() const { return known() - planned; }
  bool running() const { return slot.value >= 0; }
  /// All output it may have is there or in flight.
  bool exhausted() const { return outputs() + sampling >= limit; }
  bool waits_for_output() const {
    return !request.sampling.stop.empty() && outputs() + sampling - acknowledged > 2;
  }
  bool prefilling() const { return planned < evaluated; }
};

}  // namespace pitwall
