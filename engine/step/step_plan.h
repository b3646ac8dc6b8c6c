// SPDX-License-Identifier: GPL-3.0-or-later
// The words between scheduler and executor. A step advances each of its sequences by a slice of tokens.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/step/sampling_params.h"
#include "engine/step/step_time_model.h"

namespace pitwall {

inline constexpr TokenId kPreviousToken = -1;  ///< input is what this slot sampled in the step before

/// `count` tokens of one sequence at positions [first_position, first_position + count). Decode when count
/// = 1.
struct SequenceSlice {
  RequestId request;
  SlotId slot;
  std::int32_t first_position = 0;
  std::int32_t count = 0;
  std::int32_t token_offset = 0;  ///< inputs are StepPlan::tokens[token_offset, token_offset + count)
  bool samples = false;           ///< the last position yields a token
  bool all_logits = false;        ///< return the logits of every position of the slice
  bool prefill = false;           ///< counts as prompt tokens (also a recompute after preemption)
  /// Static batching: computed like any other rows and thrown away. Samples nothing. May follow the slice of
  /// the same slot at the positions after it; its KV is overwritten by the tokens that come to stand there.
  bool padding = false;
  std::int32_t logprobs = -1;         ///< ≥ 0: likeliest tokens to report beside the sampled one
  std::int32_t prompt_logprobs = -1;  ///< ≥ 0: the same for the tokens that follow each position of the slice
  TokenId following = -1;  ///< with prompt_logprobs: the prompt's token behind the slice; −1: there is none

  std::int32_t logit_rows() const { return all_logits || prompt_logprobs >= 0 ? count : (samples ? 1 : 0); }
};

/// A sequence takes a slot: its sampling state is set and its block table emptied, before the step's appends.
struct SlotJoin {
  SlotId slot;
  RequestId request;
  SlotSampling sampling;
  bool long_rope = false;  ///< rotary frequencies of sequences above ModelSpec::rope_switch
};

/// Block `block` becomes entry `index` of the slot's block table; an entry that is there already is replaced.
struct BlockAppend {
  SlotId slot;
  std::int32_t index = 0;
  BlockId block;
};

/// KV of the first `tokens` positions of a block, all layers. A shared block is copied before it is written.
struct BlockCopy {
  BlockId from, to;
  std::int32_t tokens = 0;
};

/// A whole block between the device and the swap space.
struct BlockSwap {
  BlockId block;
  HostBlockId host;
};

/// How the logits of one slice's sampling row are changed before a token is chosen (SamplingParams says in
/// which order). Reported logprobs are of the logits as the model gave them.
struct LogitChange {
  struct Token {
    TokenId token = 0;
    float add = 0;           ///< bias and penalties of the reply's tokens, together
    bool penalised = false;  ///< by `repetition`, before `add`
  };
  std::int32_t slice = 0;  ///< index in StepPlan::slices
  float repetition = 1;
  std::vector<Token> tokens;              ///< each id once
  std::shared_ptr<const TokenMask> mask;  ///< null: all may come; ids behind its words may not
};

struct StepPlan {
  std::uint64_t number = 0;  ///< from 1, without gaps
  // Before the forward, in this order; a block stands in at most one of each list's targets.
  std::vector<BlockSwap> swaps_out, swaps_in;
  std::vector<BlockCopy> copies;
  std::vector<SequenceSlice> slices;
  std::vector<TokenId>
      tokens;  ///< slices' inputs, in slice order; kPreviousToken where the host does not know yet
  std::vector<LogitChange> logit_changes;  ///< in slice order; of slices that sample
  std::vector<SlotJoin> joins;
  std::vector<BlockAppend> appends;
  StepShape shape;
  std::int32_t evicted = 0;  ///< cached blocks that gave way to this step
};

struct TokenLogprob {
  TokenId token = 0;
  float logprob = 0;
  std::int32_t rank = 0;  ///< 1 = the likeliest
};
/// One position's token and the likeliest ones there, likeliest first, the lower id first on a tie.
struct PositionLogprobs {
  TokenLogprob chosen;
  std::vector<TokenLogprob> top;
};

struct SampledToken {
  RequestId request;
  SlotId slot;
  TokenId token = 0;
  float logprob = 0;  ///< of the token under softmax of the unscaled logits; NaN: they were not finite
  std::optional<PositionLogprobs> logprobs = {};  ///< where the slice asked
};

/// Of one slice's prompt tokens: positions[i] is of the token at first_position + 1 + i.
struct PromptLogprobs {
  RequestId request;
  std::int32_t first_position = 0;
  std::vector<PositionLogprobs> positions;
};

struct SliceLogits {
  RequestId request;
  std::int32_t first_position = 0, rows = 0;
  std::vector<float> values;  ///< rows × vocabulary
};

struct StepResult {
  std::uint64_t number = 0;
  std::optional<Error> error;         ///< the whole step failed: nothing of it counts
  std::vector<SampledToken> sampled;  ///< one for each slice that samples, in slice order
  std::vector<SliceLogits> logits;
  std::vector<PromptLogprobs> prompt_logprobs = {};
  std::string arithmetic = {};  ///< where a logprob is NaN: the dtypes that were computed with
  Nanos started = 0, finished = 0;
  Nanos swapping = 0;      ///< of that, block swaps
  bool replayed = false;   ///< a captured step was played
  bool abandoned = false;  ///< it may not have been computed: nothing of it counts
};

}  // namespace pitwall
