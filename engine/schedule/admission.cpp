// SPDX-License-Identifier: GPL-3.0-or-later
// Who of those that wait comes in: cached prefixes, limits, and blocks for all that is known.
#include <algorithm>
#include <cassert>

#include "engine/schedule/step_builder.h"

namespace pitwall {

namespace {

constexpr int kMostSkipped = 256;  // of one walk: so many may wait for producers ahead of somebody

std::int32_t steps_for(std::int32_t tokens, std::int32_t per_step) {
  return (tokens + per_step - 1) / std::max(per_step, 1);
}

}  // namespace

void StepBuilder::admit_waiting() {
  if (state_.queue.empty()) return;
  Queue::Walk walk(state_.queue, *state_.policy, scratch_.now, config_.max_wait);
  int skipped = 0;
  while (Sequence* sequence = walk.next(scratch_.tally)) {
    const bool aged = walk.aged(*sequence);
    if (sequence->is_long && !aged && long_limits_reached(*sequence)) {
      scratch_.deferred += 1 + walk.close_long();
      continue;
    }
    const Verdict verdict = admit(*sequence, aged);
    if (verdict == Verdict::stop || (verdict == Verdict::skipped && ++skipped > kMostSkipped)) break;
  }
  scratch_.deferred += skipped;
}

StepBuilder::Verdict StepBuilder::admit(Sequence& sequence, bool aged) {
  const std::size_t taken = scratch_.admitted.size();
  if (state_.running.size() + taken >= static_cast<std::size_t>(config_.max_num_seqs) ||
      taken >= state_.free_slots.size()) {
    return Verdict::stop;
  }
  if (aged && sequence.is_long && long_limits_reached(sequence)) return Verdict::stop;
  if (!state_.running.empty() && cache_.pool().available() <= sequence.refused_at) return Verdict::stop;
  Admission admission;
  admission.sequence = &sequence;
  admission.slot = SlotId{state_.free_slots[state_.free_slots.size() - 1 - taken]};
  // A client that wants the logits or logprobs of its prompt wants all of it computed.
  if (sequence.root != kNoNode && !sequence.request.sampling.reads_prompt()) {
    if (!aged && sequence.awaited_key && state_.producing.contains(*sequence.awaited_key))
      return Verdict::skipped;
    cache_.index().extend_keys(sequence.root, sequence.tokens, sequence.keys);
    admission.match = cache_.match(sequence.root, sequence.tokens, sequence.keys);
    if (const Sequence* producer = producer_of_next(sequence, admission.match)) {
      if (!aged && waiting_is_cheaper(sequence, admission.match, *producer)) {
        sequence.awaited_key = sequence.keys[admission.match.blocks.size()];
        return Verdict::skipped;
      }
      admission.match.miss = MissReason::not_yet_computed;
    }
  } else {
    admission.match.miss = MissReason::disabled;
    admission.match.miss_token = 0;
  }
  const SwappedKv& swapped = sequence.swapped;
  admission.from_swap = swapped.tokens > admission.match.tokens &&
                        static_cast<std::size_t>(swapped.first_block) <= admission.match.blocks.size();
  if (admission.from_swap) admission.match.tail_tokens = 0;  // what is swapped reaches further
  admission.first = admission.from_swap ? swapped.tokens : admission.match.tokens;
  if (chunk(sequence, admission.first, 0, true) < 1) return Verdict::stop;
  if (!take_blocks(admission, growth_to_expect(sequence))) {
    sequence.refused_at = cache_.pool().available();
    return Verdict::stop;
  }
  const std::int32_t count = chunk(sequence, admission.first, 0, true);
  turns_.push_back({&sequence, admission.slot, admission.first, 0, false});
  take(turns_.back(), count);
  if (sequence.is_long) {
    ++long_running_;
    ++long_prefills_;
    long_blocks_ += static_cast<int>(sequence.blocks.size());
  }
  start_producing(sequence, admission.first);
  scratch_.tally.last_lane = sequence.lane;
  scratch_.tally.lane_tokens.emplace_back(sequence.lane, count);
  scratch_.admitted.push_back(std::move(admission));
  return Verdict::admitted;
}

/// Who computes the next block that is missing, or null.
const Sequence* StepBuilder::producer_of_next(const Sequence& sequence, const PrefixMatch& match) const {
  if (match.miss_token < 0 || match.blocks.size() >= sequence.keys.size()) return nullptr;
  const auto found = state_.producing.find(sequence.keys[match.blocks.size()]);
  return found == state_.producing.end() || found->second->preempt ? nullptr : found->second;
}

/// Waiting takes no more steps than computing all that is shared with the producer. Bounded: it runs or ends.
bool StepBuilder::waiting_is_cheaper(const Sequence& sequence, const PrefixMatch& match,
                                     const Sequence& producer) const {
  std::size_t shared = match.blocks.size();
  const std::size_t most = std::min(sequence.keys.size(), static_cast<std::size_t>(producer.producing_to));
  while (shared < most && sequence.keys[shared] == producer.keys[shared]) ++shared;
  const auto until = static_cast<std::int32_t>(shared) * cache_.block_size();
  const std::int32_t budget = config_.max_num_batched_tokens;
  const std::int32_t pace =
      producer.is_long ? std::min(budget, config_.long_prefill_token_threshold) : budget;
  const std::int32_t own = steps_for(until - match.tokens, budget);
  const std::int32_t theirs = steps_for(until - std::max(producer.planned, match.tokens), pace);
  return std::max(theirs, 1) <= own;
}

bool StepBuilder::long_limits_reached(const Sequence& sequence) const {
  if (config_.max_long_partial_prefills > 0 && long_prefills_ >= config_.max_long_partial_prefills)
    return true;
  const int blocks = long_blocks_ + cache_.blocks_for(sequence.length());
  return long_running_ > 0 && blocks > config_.long_kv_share * cache_.total();
}

/// A sequence that was preempted comes back when there is room for as many more tokens as it has produced, so
/// that it is not preempted again at once.
int StepBuilder::growth_to_expect(const Sequence& sequence) const {
  if (!sequence.was_scheduled || (state_.running.empty() && scratch_.admitted.empty())) return 0;
  const std::int32_t more = std::min(sequence.limit - sequence.outputs(), std::max(sequence.outputs(), 1));
  return cache_.blocks_for(sequence.length() + more) - cache_.blocks_for(sequence.length());
}

/// All or nothing: references what was found and allocates the rest, for all tokens that are known. A prefill
/// that has begun never waits for blocks.
bool StepBuilder::take_blocks(Admission& admission, int headroom) {
  BlockPool& pool = cache_.pool();
  PrefixMatch& match = admission.match;
  Sequence& sequence = *admission.sequence;
  const int missing = cache_.blocks_for(sequence.length()) - static_cast<int>(match.blocks.size());
  int revived = 0;  // found blocks that could have been evicted: they are no longer there for others
  for (const BlockId block : match.blocks) revived += pool.evictable(block) ? 1 : 0;
  const bool revives_tail = match.tail_tokens > 0 && pool.evictable(match.tail);
  if (revives_tail) ++revived;
  if (!fits(missing + headroom, revived) && revives_tail) {
    // Where blocks are scarce the tail is computed: its source would need one more.
    if (match.miss == MissReason::none) match.miss = MissReason::evicted;
    match.tokens -= match.tail_tokens;
    match.miss_token = admission.first = match.tokens;
    match.tail_tokens = 0;
    --revived;
  }
  if (!fits(missing + headroom, revived)) return false;
  const int before = pool.available();
  for (const BlockId block : match.blocks) pool.reference(block);
  if (match.tail_tokens > 0) pool.reference(match.tail);  // until the copy is launched
  sequence.blocks = match.blocks;
  const bool allocated = pool.allocate(missing, sequence.blocks);
  assert(allocated);
  static_cast<void>(allocated);
  scratch_.predicted_blocks += missing + revived;
  scratch_.taken_blocks += before - pool.available();
  return true;
}

/// Whether an admission may take `blocks` beside the `revived` ones. A share of the pool is left to cached
/// prefixes, those it revives included, unless nothing runs.
bool StepBuilder::fits(int blocks, int revived) const {
  const BlockPool& pool = cache_.pool();
  const bool alone = state_.running.empty() && scratch_.admitted.empty();
  const int kept = alone ? 0 : static_cast<int>(config_.cached_share * pool.total());
  return blocks <= pool.free_count() + std::max(0, pool.cached_count() - std::max(kept, revived));
}

/// Others may wait for the full blocks that this prefill will compute.
void StepBuilder::start_producing(Sequence& sequence, std::int32_t first) {
  if (sequence.root == kNoNode) return;
  sequence.producing_from = first / cache_.block_size();
  sequence.producing_to = static_cast<std::int32_t>(sequence.keys.size());
  for (auto i = sequence.producing_from; i < sequence.producing_to; ++i)
    state_.producing.emplace(sequence.keys[static_cast<std::size_t>(i)], &sequence);
}

}  // namespace pitwall
