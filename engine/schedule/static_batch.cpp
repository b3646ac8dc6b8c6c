// SPDX-License-Identifier: GPL-3.0-or-later
// Static batching, the baseline: a batch starts together when nothing runs, is padded to its longest prompt,
// holds blocks for max_model_len, and ends together.
#include <algorithm>

#include "engine/schedule/step_builder.h"

namespace pitwall {

void StepBuilder::static_batch(bool admits) {
  std::vector<Member> members;
  for (Sequence* sequence : state_.running) members.push_back({sequence, sequence->slot});
  if (members.empty() && admits) admit_static(members);
  std::int32_t longest = 0;
  for (const Member& member : members) longest = std::max(longest, member.sequence->evaluated);
  const auto reached = [&](const Member& member) {
    const Sequence& sequence = *member.sequence;
    return (sequence.ended || !sequence.prefilling()) &&
           std::max(sequence.planned, sequence.padded) >= longest;
  };
  if (std::all_of(members.begin(), members.end(), reached)) {
    decode_static(members);
  } else {
    for (const Member& member : members) prefill_static(member, longest);
  }
}

void StepBuilder::admit_static(std::vector<Member>& members) {
  Queue::Walk walk(state_.queue, *state_.policy, scratch_.now, config_.max_wait);
  while (Sequence* sequence = walk.next(scratch_.tally)) {
    const std::size_t taken = scratch_.admitted.size();
    if (taken >= static_cast<std::size_t>(config_.max_num_seqs) || taken >= state_.free_slots.size()) return;
    const int blocks =
        cache_.blocks_for(std::max(config_.max_model_len, sequence->prompt() + sequence->limit));
    if (!cache_.pool().allocate(blocks, sequence->blocks)) return;
    Admission admission;
    admission.sequence = sequence;
    admission.slot = SlotId{state_.free_slots[state_.free_slots.size() - 1 - taken]};
    admission.match.miss = MissReason::disabled;
    admission.match.miss_token = 0;
    admission.reserved = true;
    members.push_back({sequence, admission.slot});
    scratch_.tally.last_lane = sequence->lane;
    scratch_.tally.lane_tokens.emplace_back(sequence->lane, sequence->length());
    scratch_.admitted.push_back(std::move(admission));
  }
}

/// The prompt, then padding up to the batch's longest.
void StepBuilder::prefill_static(const Member& member, std::int32_t longest) {
  Sequence& sequence = *member.sequence;
  std::int32_t from = sequence.planned;
  if (!sequence.ended && sequence.prefilling()) {
    turns_.push_back({&sequence, member.slot, from, 0, false});
    take(turns_.back(), chunk(sequence, from, 0, false));
    from += turns_.back().count;
    if (turns_.back().count == 0) turns_.pop_back();
    if (from < sequence.evaluated) return;
  }
  pad(member, std::max(from, sequence.padded), longest);
}

void StepBuilder::pad(const Member& member, std::int32_t from, std::int32_t end) {
  const std::int32_t count = std::min(end - from, tokens_left_);
  if (count < 1) return;
  turns_.push_back({member.sequence, member.slot, from, count, true});
  tokens_left_ -= count;
}

/// One row for each member; those that have ended pad, as long as somebody has not.
void StepBuilder::decode_static(const std::vector<Member>& members) {
  for (const Member& member : members) {
    if (!member.sequence->ended && member.sequence->decodes()) decode(*member.sequence);
  }
  if (turns_.empty()) return;
  for (const Member& member : members) {
    if (!member.sequence->ended) continue;
    const auto held = static_cast<std::int32_t>(member.sequence->blocks.size()) * cache_.block_size();
    const std::int32_t end = std::min(held, config_.max_model_len);
    const std::int32_t from = std::min(member.sequence->padded, end - 1);
    pad(member, from, from + 1);
  }
}

}  // namespace pitwall
