// SPDX-License-Identifier: GPL-3.0-or-later
// The last part of planning: what was decided becomes a StepPlan.
#include <algorithm>

#include "engine/schedule/step_builder.h"

namespace pitwall {

StepPlan StepBuilder::write() {
  StepPlan plan;
  plan.number = scratch_.step.number;
  if (turns_.empty()) return plan;
  write_moves(plan);
  for (const Admission& admission : scratch_.admitted) {
    const Request& request = admission.sequence->request;
    plan.joins.push_back({admission.slot, request.id, request.sampling.choice, request.cache_key.long_rope});
    write_table(plan, *admission.sequence, admission.slot, true);
  }
  const Sequence* last = nullptr;
  for (const Turn& turn : turns_) {
    if (turn.sequence->running() && turn.sequence != last)
      write_table(plan, *turn.sequence, turn.slot, false);
    last = turn.sequence;
    write_slice(plan, turn);
  }
  plan.shape.swapped_blocks = static_cast<std::int64_t>(plan.swaps_out.size() + plan.swaps_in.size());
  plan.evicted = cache_.pool().evictions();
  scratch_.step.shape = plan.shape;
  scratch_.copies = static_cast<std::int32_t>(plan.copies.size());
  return plan;
}

void StepBuilder::write_moves(StepPlan& plan) {
  for (const auto& swap : state_.swaps_out) {
    plan.swaps_out.push_back(swap.move);
    scratch_.step.swapped_out.push_back(swap.request);
  }
  for (const Admission& admission : scratch_.admitted) {
    const Sequence& sequence = *admission.sequence;
    const std::size_t cached = admission.match.blocks.size();
    if (admission.from_swap) {
      const SwappedKv& swapped = sequence.swapped;
      const auto skipped = cached - static_cast<std::size_t>(swapped.first_block);
      for (std::size_t i = skipped; i < swapped.blocks.size(); ++i) {
        plan.swaps_in.push_back(
            {sequence.blocks[static_cast<std::size_t>(swapped.first_block) + i], swapped.blocks[i]});
      }
    } else if (admission.match.tail_tokens > 0) {
      plan.copies.push_back({admission.match.tail, sequence.blocks[cached], admission.match.tail_tokens});
    }
  }
}

void StepBuilder::write_table(StepPlan& plan, const Sequence& sequence, SlotId slot, bool joins) const {
  const auto append = [&](std::size_t i) {
    plan.appends.push_back({slot, static_cast<std::int32_t>(i), sequence.blocks[i]});
  };
  if (!joins) {
    for (const std::int32_t i : sequence.replaced) append(static_cast<std::size_t>(i));
  }
  for (std::size_t i = joins ? 0 : static_cast<std::size_t>(sequence.blocks_sent); i < sequence.blocks.size();
       ++i) {
    append(i);
  }
}

void StepBuilder::write_slice(StepPlan& plan, const Turn& turn) {
  const Sequence& sequence = *turn.sequence;
  SequenceSlice slice;
  slice.request = sequence.request.id;
  slice.slot = turn.slot;
  slice.first_position = turn.first;
  slice.count = turn.count;
  slice.token_offset = static_cast<std::int32_t>(plan.tokens.size());
  slice.padding = turn.padding;
  if (turn.padding) {
    plan.tokens.insert(plan.tokens.end(), static_cast<std::size_t>(turn.count), sequence.tokens.front());
    plan.shape.padding_tokens += turn.count;
  } else {
    slice.samples = turn.first + turn.count == sequence.known();
    slice.all_logits = sequence.request.sampling.prompt_logits;
    write_logprobs(slice, sequence);
    // A sequence back from the swap space with all but its last token goes straight on with decoding.
    slice.prefill = turn.first < sequence.evaluated && !(turn.count == 1 && turn.first >= sequence.prompt());
    for (std::int32_t i = turn.first; i < turn.first + turn.count; ++i) {
      const auto index = static_cast<std::size_t>(i);
      plan.tokens.push_back(index < sequence.tokens.size() ? sequence.tokens[index] : kPreviousToken);
    }
    add_to_shape(plan.shape, turn.first, turn.count, slice.prefill, slice.logit_rows());
    if (slice.samples && turn.sequence->changes) write_change(plan, *turn.sequence);
  }
  scratch_.step.slices.push_back(
      {slice.request, slice.slot, turn.first + turn.count, turn.count, slice.samples, slice.padding});
  plan.slices.push_back(slice);
}

void StepBuilder::write_logprobs(SequenceSlice& slice, const Sequence& sequence) {
  const SamplingParams& sampling = sequence.request.sampling;
  if (slice.samples) slice.logprobs = sampling.logprobs.value_or(-1);
  if (!sampling.prompt_logprobs || !sequence.reads_prompt(slice.first_position)) return;
  slice.prompt_logprobs = *sampling.prompt_logprobs;
  const std::int32_t end = slice.first_position + slice.count;
  if (end < sequence.prompt()) slice.following = sequence.tokens[static_cast<std::size_t>(end)];
}

/// Of the slice that is written next.
void StepBuilder::write_change(StepPlan& plan, Sequence& sequence) {
  auto change = sequence.changes->next(sequence.known() - sequence.prompt());
  if (!change) return;
  plan.logit_changes.push_back(*std::move(change));
  plan.logit_changes.back().slice = static_cast<std::int32_t>(plan.slices.size());
}

}  // namespace pitwall
