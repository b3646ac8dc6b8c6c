// SPDX-License-Identifier: GPL-3.0-or-later
// Sequence: a request's tokens and blocks, and how far each layer of state has come.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/schedule/logit_changes.h"
#include "engine/schedule/scheduler.h"

namespace pitwall {

/// KV in the swap space: positions [first_block·block_size, tokens).
struct SwappedKv {
  std::vector<HostBlockId> blocks;
  std::int32_t first_block = 0;  // those before it were shared with others and stayed
  std::int32_t tokens = 0;
};

struct Sequence {
  Request request;
  std::vector<TokenId> tokens;      // prompt + committed output
  std::vector<std::uint64_t> keys;  // of the full blocks of tokens, as far as they were needed
  PrefixNode root = kNoNode;        // kNoNode: takes no part in prefix caching
  BlockTable blocks;
  SlotId slot{-1};                      // −1 while waiting
  std::int32_t limit = 0;               // most output tokens it may get
  std::optional<LogitChanges> changes;  // where its parameters change logits; of the committed tokens

  // committed
  std::int32_t computed = 0;      // tokens whose KV is there
  std::int32_t published = 0;     // leading blocks that are index entries
  std::int32_t acknowledged = 0;  // output tokens the output thread has handled
  std::int32_t evaluated = 0;     // tokens that count as prefill: the length to catch up to
  std::int32_t reported = 0;      // prompt positions whose logprobs have been handed out
  SwappedKv swapped;
  bool preempt = false;  // victim: leaves at the next commit
  bool was_scheduled = false;

  std::int32_t rope_end = std::numeric_limits<std::int32_t>::max();  // longest with its rotary frequencies

  // pending
  std::int32_t planned = 0;            // computed once every launched step is over
  std::int32_t sampling = 0;           // tokens that launched steps will sample
  std::int32_t blocks_sent = 0;        // block table entries the executor knows
  std::vector<std::int32_t> replaced;  // of these, entries that have changed since
  std::uint64_t last_step = 0;         // last launched step that touches it

  // queue
  std::int64_t lane = 0;                              // of the policy
  bool is_long = false;                               // prompt above the threshold
  Nanos since = 0;                                    // began to wait, earlier waits counted in
  Nanos waited = 0;                                   // while running: all its waits together
  std::int32_t producing_from = 0, producing_to = 0;  // blocks registered as being computed by it
  std::int32_t refused_at = -1;              // so many available blocks were too few: not tried again below
  std::optional<std::uint64_t> awaited_key;  // waits while somebody computes this block

  // static batching
  bool reserved = false;    // has blocks for max_model_len
  bool ended = false;       // goes on as padding
  std::int32_t padded = 0;  // padding rows reach up to here

  std::int32_t prompt() const { return static_cast<std::int32_t>(request.prompt.size()); }
  std::int32_t length() const { return static_cast<std::int32_t>(tokens.size()); }
  std::int32_t outputs() const { return length() - prompt(); }
  /// Tokens that exist once every launched step is over.
  std::int32_t known() const { return length() + sampling; }
  std::int32_t remaining() const { return known() - planned; }
  bool running() const { return slot.value >= 0; }
  /// All output it may have is there or in flight.
  bool exhausted() const { return outputs() + sampling >= limit; }
  bool waits_for_output() const {
    return !request.sampling.stop.empty() && outputs() + sampling - acknowledged > 2;
  }
  bool needs_tokens() const { return changes && changes->needs_tokens(); }
  /// A token in flight decides how the next one may be chosen.
  bool needs_result() const { return sampling > 0 && needs_tokens(); }
  /// A slice from `first` on has a logit row for each of its positions.
  bool reads_prompt(std::int32_t first) const {
    const SamplingParams& sampling_params = request.sampling;
    return sampling_params.prompt_logits ||
           (sampling_params.prompt_logprobs && std::max(first, reported) < prompt() - 1);
  }
  bool outgrown() const { return known() > rope_end; }
  bool prefilling() const { return planned < evaluated; }
  bool decodes() const {
    return !preempt && !prefilling() && remaining() > 0 && !exhausted() && !waits_for_output() &&
           !needs_result() && !outgrown();
  }
};

}  // namespace pitwall
