// SPDX-License-Identifier: GPL-3.0-or-later
// Who gives way when blocks run out, and where its KV goes.
#include <algorithm>

#include "engine/schedule/step_builder.h"

namespace pitwall {

/// The last one in the policy's order, `needy` itself if nobody stands behind it: never a better one. One at
/// a time, and none while blocks are on their way back already.
void StepBuilder::choose_victim(Sequence& needy) {
  if (scratch_.victim || cache_.pool().quarantined_count() > 0 || state_.leaving()) return;
  if (state_.running.size() == 1) return;
  Sequence* worst = &needy;
  for (Sequence* candidate : state_.running) {
    if (state_.before(*worst, *candidate)) worst = candidate;
  }
  scratch_.victim = worst;
}

/// A victim in flight leaves at its own commit, with its token.
void Scheduler::State::preempt_victims(std::uint64_t committed, Nanos now) {
  const auto victim = std::find_if(running.begin(), running.end(),
                                   [](const Sequence* sequence) { return sequence->preempt; });
  if (victim != running.end() && (*victim)->last_step <= committed) preempt(**victim, now, true);
}

/// Their KV is to be computed anew with other rotary frequencies; see ModelSpec::rope_switch.
void Scheduler::State::preempt_outgrown(std::uint64_t committed, Nanos now) {
  if (config.rope_switch == 0) return;
  const std::vector<Sequence*> all = running;
  for (Sequence* sequence : all) {
    if (!sequence->ended && sequence->outgrown() && sequence->last_step <= committed)
      preempt(*sequence, now, false);
  }
  end_static_batch();  // the last one may have left it
}

void Scheduler::State::preempt(Sequence& sequence, Nanos now, bool may_swap) {
  PreemptionEvent event{.request = sequence.request.id,
                        .tokens = sequence.computed,
                        .swapped = may_swap && swap_out(sequence),
                        .free_blocks = cache.pool().available()};
  if (event.swapped)
    event.tokens = sequence.swapped.tokens - sequence.swapped.first_block * cache.block_size();
  preempted.push_back(event);
  leave_running(sequence);
  sequence.computed = sequence.planned = sequence.sampling = sequence.blocks_sent = sequence.published = 0;
  sequence.replaced.clear();
  sequence.evaluated = sequence.length();
  sequence.preempt = sequence.reserved = false;
  enqueue(sequence, now);
  ++preemptions;
}

/// Moves the blocks that nobody shares to the swap space, if that is wanted and there is room. They are free
/// at once: the next launched step moves them out before anything in it writes.
bool Scheduler::State::swap_out(Sequence& sequence) {
  if (config.preemption == Preemption::recompute || sequence.computed == 0) return false;
  SwappedKv out;
  const std::int32_t blocks = cache.blocks_for(sequence.computed);
  while (out.first_block < blocks &&
         cache.pool().references(sequence.blocks[static_cast<std::size_t>(out.first_block)]) > 1) {
    ++out.first_block;
  }
  if (out.first_block == blocks) return false;
  if (config.preemption == Preemption::automatic && !swaps_cheaper(sequence, out.first_block)) return false;
  if (!cache.swap().allocate(blocks - out.first_block, out.blocks)) return false;
  out.tokens = sequence.computed;
  for (std::size_t i = 0; i < out.blocks.size(); ++i) {
    swaps_out.push_back({sequence.request.id,
                         {sequence.blocks[static_cast<std::size_t>(out.first_block) + i], out.blocks[i]}});
  }
  sequence.swapped = std::move(out);
  return true;
}

/// Out and in again over the link, against computing again what the prefix cache will not give back. Before
/// the link has been measured it is tried.
bool Scheduler::State::swaps_cheaper(const Sequence& sequence, std::int32_t first_block) const {
  const double block_ns = step_time.swap_ns();
  if (block_ns <= 0) return true;
  const std::int32_t kept = first_block * cache.block_size();
  StepShape shape;
  add_to_shape(shape, kept, sequence.computed - kept, true, 0);
  const auto recompute = static_cast<double>(step_time.predict(shape));
  return 2 * block_ns * (cache.blocks_for(sequence.computed) - first_block) < recompute;
}

void Scheduler::State::drop_swapped(Sequence& sequence) {
  if (sequence.swapped.blocks.empty()) return;
  std::erase_if(swaps_out, [&](const SwapOut& swap) { return swap.request == sequence.request.id; });
  cache.swap().free(sequence.swapped.blocks);
  sequence.swapped = {};
}

}  // namespace pitwall
