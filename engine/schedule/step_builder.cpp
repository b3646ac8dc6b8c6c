// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/schedule/scheduler_state.h"

namespace pitwall {

StepBuilder::StepBuilder(Scheduler::State& state)
    : state_(state),
      tokens_left_(state.config.max_num_batched_tokens),
      logit_rows_left_(std::max(state.config.max_logit_rows, state.config.max_num_seqs)) {
  state_.scratch = {};
  state_.scratch.step.number = state_.next_step;
  plan_.number = state_.next_step;
}

StepPlan StepBuilder::build() {
  // Decodes first: a prefill never delays the next token of a running stream by more than its own step.
  for (Sequence* sequence : state_.running) {
    if (!sequence->prefilling()) decode(*sequence);
  }
  for (Sequence* sequence : state_.running) {
    if (sequence->prefilling()) prefill(*sequence);
  }
  const auto marked = [](const Sequence* sequence) { return sequence->preempt; };
  if (state_.scratch.victims.empty() && std::none_of(state_.running.begin(), state_.running.end(), marked)) {
    for (Sequence* sequence : state_.waiting) {
      if (!admit(*sequence)) break;
    }
  }
  return std::move(plan_);
}

void StepBuilder::decode(Sequence& sequence) {
  if (sequence.preempt || sequence.remaining() < 1 || sequence.exhausted() || sequence.waits_for_output())
    return;
  if (tokens_left_ < 1 || logit_rows_left_ < 1) return;
  const auto& victims = state_.scratch.victims;
  if (std::find(victims.begin(), victims.end(), &sequence) != victims.end()) return;
  const std::int32_t missing =
      state_.pool.blocks_for(sequence.planned + 1) - static_cast<std::int32_t>(sequence.blocks.size());
  if (missing > 0) {
    if (!state_.pool.allocate(missing, sequence.blocks)) {
      choose_victim(sequence);
      return;
    }
    state_.scratch.allocations.push_back({&sequence, missing});
  }
  append_blocks(sequence, sequence.slot, sequence.blocks_sent);
  add_slice(sequence, sequence.slot, 1);
}

void StepBuilder::prefill(Sequence& sequence) {
  if (sequence.preempt) return;
  const std::int32_t count = chunk(sequence);
  if (count > 0) add_slice(sequence, sequence.slot, count);
}

bool StepBuilder::admit(Sequence& sequence) {
  if (static_cast<std::size_t>(slots_taken_) >= state_.free_slots.size()) return false;
  const std::int32_t count = chunk(sequence);
  if (count < 1) return false;
  // The whole of what is known must fit: a prefill that has begun never waits for blocks.
  const std::int32_t blocks = state_.pool.blocks_for(static_cast<int>(sequence.tokens.size()));
  if (!state_.pool.allocate(blocks, sequence.blocks)) return false;
  state_.scratch.allocations.push_back({&sequence, blocks});
  const SlotId slot{state_.free_slots[state_.free_slots.size() - 1 - static_cast<std::size_t>(slots_taken_)]};
  ++slots_taken_;
  state_.scratch.slots.push_back(slot.value);
  state_.scratch.admitted.push_back(&sequence);
  plan_.joins.push_back({slot, sequence.request.id, sequence.request.sampling.choice});
  append_blocks(sequence, slot, 0);
  add_slice(sequence, slot, count);
  return true;
}

std::int32_t StepBuilder::chunk(const Sequence& sequence) const {
  const std::int32_t left = sequence.remaining();
  std::int32_t count = std::min(left, tokens_left_);
  if (sequence.request.sampling.prompt_logits) {
    count = std::min(count, logit_rows_left_);
  } else if (logit_rows_left_ < 1) {
    return 0;
  }
  if (count < left) {  // a chunk that is not the last ends on a block boundary where it can
    const std::int32_t block = state_.pool.block_size();
    const std::int32_t aligned = (sequence.planned + count) / block * block - sequence.planned;
    if (aligned > 0) count = aligned;
  }
  return count;
}

void StepBuilder::append_blocks(Sequence& sequence, SlotId slot, std::int32_t sent) {
  for (std::size_t i = static_cast<std::size_t>(sent); i < sequence.blocks.size(); ++i) {
    plan_.appends.push_back({slot, static_cast<std::int32_t>(i), sequence.blocks[i]});
  }
}

void StepBuilder::add_slice(Sequence& sequence, SlotId slot, std::int32_t count) {
  SequenceSlice slice;
  slice.request = sequence.request.id;
  slice.slot = slot;
  slice.first_position = sequence.planned;
  slice.count = count;
  slice.token_offset = static_cast<std::int32_t>(plan_.tokens.size());
  slice.samples = sequence.planned + count == sequence.known();
  slice.all_logits = sequence.request.sampling.prompt_logits;
  slice.prefill = !sequence.running() || sequence.prefilling();
  for (std::int32_t i = sequence.planned; i < sequence.planned + count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    plan_.tokens.push_back(index < sequence.tokens.size() ? sequence.tokens[index] : kPreviousToken);
  }
  tokens_left_ -= count;
  logit_rows_left_ -= slice.all_logits ? count : (slice.samples ? 1 : 0);
  (slice.prefill ? plan_.prefill_tokens : plan_.decode_tokens) += count;
  state_.scratch.step.slices.push_back({slice.request, count, slice.samples});
  plan_.slices.push_back(slice);
}

void StepBuilder::choose_victim(const Sequence& needy) {
  // One at a time, and none while blocks are already on their way back.
  if (!state_.scratch.victims.empty() || state_.pool.quarantined_count() > 0) return;
  const auto leaving = [](const Sequence* sequence) { return sequence->preempt; };
  if (std::any_of(state_.running.begin(), state_.running.end(), leaving)) return;
  const auto planned = [this](const Sequence* sequence) {
    const auto& slices = state_.scratch.step.slices;
    return std::any_of(slices.begin(), slices.end(),
                       [&](const PlannedSlice& slice) { return slice.request == sequence->request.id; });
  };
  // The youngest loses; `needy` itself when nobody younger runs and someone older does.
  for (std::size_t i = state_.running.size(); i-- > 0;) {
    Sequence* candidate = state_.running[i];
    if (planned(candidate)) continue;
    if (candidate == &needy && state_.running.size() == 1)
      return;  // its own freed blocks come back by themselves
    state_.scratch.victims.push_back(candidate);
    return;
  }
}

}  // namespace pitwall
