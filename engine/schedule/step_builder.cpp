// SPDX-License-Identifier: GPL-3.0-or-later
// Continuous batching: decodes first, then prefills that have begun, then admissions.
#include "engine/schedule/step_builder.h"

#include <algorithm>
#include <cmath>

namespace pitwall {

StepBuilder::StepBuilder(Scheduler::State& state, Nanos now)
    : state_(state),
      config_(state.config),
      cache_(state.cache),
      scratch_(state.scratch),
      tokens_left_(config_.max_num_batched_tokens),
      logit_rows_left_(std::max(config_.max_logit_rows, config_.max_num_seqs)),
      long_tokens_left_(
          static_cast<std::int32_t>(config_.long_token_share * config_.max_num_batched_tokens)) {
  scratch_ = {};
  scratch_.step.number = state_.next_step;
  scratch_.now = now;
}

StepPlan StepBuilder::build(bool admits) {
  const bool batch_runs = std::any_of(state_.running.begin(), state_.running.end(),
                                      [](const Sequence* sequence) { return sequence->reserved; });
  if (config_.batching == Batching::fixed && (batch_runs || state_.running.empty())) {
    static_batch(admits);
  } else {
    continuous(admits && config_.batching == Batching::continuous);
  }
  if (splits_waiters()) turns_.clear();
  return write();
}

void StepBuilder::continuous(bool admits) {
  for (const Sequence* sequence : state_.running) {
    if (!sequence->is_long) continue;
    ++long_running_;
    long_blocks_ += static_cast<int>(sequence->blocks.size());
    if (sequence->prefilling()) ++long_prefills_;
  }
  // A prefill never delays the next token of a running stream by more than its own step. Where not all
  // streams fit (the limits were lowered while they ran) they take turns.
  const std::size_t count = state_.running.size();
  const std::size_t first = static_cast<std::int32_t>(count) > tokens_left_ ? state_.next_step % count : 0;
  for (std::size_t i = 0; i < count; ++i) {
    Sequence& sequence = *state_.running[(first + i) % count];
    if (sequence.decodes()) decode(sequence);
    if (sequence.prefilling() && !sequence.preempt) prefills_.push_back(&sequence);
  }
  limit_prefill();
  prefill();
  if (admits && !scratch_.victim && !state_.leaving()) admit_waiting();
  // What nobody else could use goes to those that were cut short.
  for (Turn& turn : turns_) {
    const bool cut = turn.first + turn.count < turn.sequence->known() && turn.count > 0;
    if (cut) take(turn, chunk(*turn.sequence, turn.first, turn.count, false));
  }
}

void StepBuilder::decode(Sequence& sequence) {
  if (tokens_left_ < 1 || logit_rows_left_ < 1) return;
  const std::int32_t missing =
      cache_.blocks_for(sequence.planned + 1) - static_cast<std::int32_t>(sequence.blocks.size());
  if (missing > 0) {
    if (!cache_.pool().allocate(missing, sequence.blocks)) {
      choose_victim(sequence);
      return;
    }
    scratch_.grown.push_back({&sequence, missing});
  }
  turns_.push_back({&sequence, sequence.slot, sequence.planned, 1, false});
  --tokens_left_;
  --logit_rows_left_;
}

/// Cuts the tokens left for prefills to what the step-time model allows, and keeps half of them for prompts
/// that end in this step: a short one behind a long one waits for a chunk, not for the whole.
void StepBuilder::limit_prefill() {
  const std::int32_t block = cache_.block_size();
  if (config_.target_itl > 0 && !turns_.empty()) {
    StepShape decodes;
    for (const Turn& turn : turns_) add_to_shape(decodes, turn.first, turn.count, false, 1);
    decodes.swapped_blocks = static_cast<std::int64_t>(state_.swaps_out.size());
    std::int32_t depth = 0;
    for (const Sequence* sequence : prefills_) depth = std::max(depth, sequence->planned);
    const auto target =
        static_cast<Nanos>(static_cast<double>(config_.target_itl) / state_.step_time.spread());
    const auto holds = [&](std::int32_t tokens) {
      StepShape shape = decodes;
      add_to_shape(shape, depth, tokens, true, 1);
      const Nanos expected = state_.step_time.predict(shape);
      return expected > 0 && expected <= target;
    };
    // At least one token, two where somebody else could use one: prefills go on even where the target cannot
    // be held.
    const bool alone = prefills_.size() + state_.queue.size() < 2;
    std::int32_t low = alone ? 1 : 2, high = std::max(low, tokens_left_);
    while (low < high) {
      const std::int32_t middle = (low + high + 1) / 2;
      if (holds(middle)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    tokens_left_ = std::min(tokens_left_, low < block ? low : low / block * block);
  }
  below_a_block_ = tokens_left_ < block;
  reserve_ = tokens_left_ / 2;
  least_ = std::min(block, tokens_left_ - reserve_);
}

void StepBuilder::prefill() {
  for (Sequence* sequence : prefills_) {
    turns_.push_back({sequence, sequence->slot, sequence->planned, 0, false});
    take(turns_.back(), chunk(*sequence, sequence->planned, 0, true));
    if (turns_.back().count == 0) turns_.pop_back();
  }
}

/// How many tokens a prefill gets in all, where it starts at `first` and was `given` some already. `spares`:
/// it leaves the reserve to others unless it ends in this step.
std::int32_t StepBuilder::chunk(const Sequence& sequence, std::int32_t first, std::int32_t given,
                                bool spares) const {
  const std::int32_t block = cache_.block_size();
  const std::int32_t left = sequence.known() - first;
  std::int32_t room = tokens_left_;
  if (sequence.is_long) {
    // One of them goes on in each step, even where the share is smaller than a block.
    const std::int32_t share = std::max(long_tokens_left_, long_served_ ? 0 : block);
    room = std::min({room, config_.long_prefill_token_threshold - given, share});
  }
  if (sequence.reads_prompt(first)) {
    room = std::min(room, spares ? (logit_rows_left_ + 1) / 2 : logit_rows_left_);
  } else if (logit_rows_left_ < 1) {
    return given;
  }
  if (left - given <= room) return left;
  if (spares) room = std::min(room, std::max(tokens_left_ - reserve_, least_));
  // A chunk that is not the last ends on a block boundary where it can.
  const std::int32_t end = first + given + room;
  const std::int32_t aligned = end / block * block - first;
  if (aligned > given) return aligned;
  return given > 0 && !below_a_block_ ? given : given + room;
}

void StepBuilder::take(Turn& turn, std::int32_t count) {
  const std::int32_t more = count - turn.count;
  if (more <= 0) return;
  tokens_left_ -= more;
  if (turn.sequence->is_long) {
    long_tokens_left_ -= more;
    long_served_ = true;
  }
  if (turn.sequence->reads_prompt(turn.first)) {
    logit_rows_left_ -= more;
  } else if (turn.first + count == turn.sequence->known()) {
    --logit_rows_left_;
  }
  turn.count = count;
}

/// A plan of nothing but sequences that need each token on the host, while others of them are in flight: they
/// would take turns from now on, a step for each half. This plan is made once those are back.
bool StepBuilder::splits_waiters() const {
  const auto waits = [](const Turn& turn) {
    return !turn.padding && !turn.sequence->prefilling() && turn.sequence->needs_tokens();
  };
  return std::all_of(turns_.begin(), turns_.end(), waits) &&
         std::any_of(state_.running.begin(), state_.running.end(),
                     [](const Sequence* sequence) { return sequence->needs_result() && !sequence->ended; });
}

void add_to_shape(StepShape& shape, std::int32_t first, std::int32_t count, bool prefill, int logit_rows) {
  ++shape.sequences;
  shape.logit_rows += logit_rows;
  const std::int64_t context = first + count;
  if (prefill) {
    shape.prefill_tokens += count;
    shape.prefill_context += context;
    shape.prefill_pairs +=
        static_cast<std::int64_t>(count) * first + static_cast<std::int64_t>(count) * (count + 1) / 2;
  } else {
    shape.decode_tokens += count;
    shape.decode_context += context;
  }
}

}  // namespace pitwall
