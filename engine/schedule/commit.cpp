// SPDX-License-Identifier: GPL-3.0-or-later
// Scheduler::commit: the only place where request and block state changes for good.
#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/schedule/scheduler_state.h"

namespace pitwall {

namespace {

bool touches(const PendingStep& step, RequestId id) {
  return std::any_of(step.slices.begin(), step.slices.end(),
                     [&](const PlannedSlice& slice) { return slice.request == id; });
}

/// The step failed: its requests end with the error; those of a later step in flight start again from their
/// tokens.
void drop_pending(Scheduler::State& state, const PendingStep& failed, const Error& error, Committed& out) {
  for (const PlannedSlice& slice : failed.slices) {
    const auto found = state.sequences.find(slice.request);
    if (found != state.sequences.end()) state.end(*found->second, FinishReason::error, error.text());
  }
  for (PendingStep& later : state.pending) {
    later.dropped = true;
    for (std::size_t i = later.slices.size(); i-- > 0;) {
      const auto found = state.sequences.find(later.slices[i].request);
      if (found == state.sequences.end() || !found->second->running()) continue;
      out.preempted.push_back(later.slices[i].request);
      state.preempt(*found->second);
    }
    later.slices.clear();
  }
}

void take_token(Scheduler::State& state, Sequence& sequence, const SampledToken& sampled, Committed& out) {
  sequence.tokens.push_back(sampled.token);
  --sequence.sampling;
  const auto& ends = sequence.request.sampling.end_tokens;
  const bool end = std::find(ends.begin(), ends.end(), sampled.token) != ends.end();
  out.tokens.push_back({sequence.request.id, sampled.token, sampled.logprob, end});
  if (end) {
    state.end(sequence, FinishReason::stop, {});
  } else if (sequence.outputs() >= sequence.limit) {
    state.end(sequence, FinishReason::length, {});
  }
}

}  // namespace

Committed Scheduler::commit(const StepResult& result, Nanos) {
  State& state = *state_;
  assert(!state.planning && !state.pending.empty() && state.pending.front().number == result.number);
  const PendingStep step = std::move(state.pending.front());
  state.pending.pop_front();

  Committed out;
  if (step.dropped) {
    // Nothing of it counts.
  } else if (result.error) {
    drop_pending(state, step, *result.error, out);
  } else {
    for (const PlannedSlice& slice : step.slices) {
      const auto found = state.sequences.find(slice.request);
      if (found != state.sequences.end() && found->second->running()) found->second->computed += slice.count;
    }
    for (const SampledToken& sampled : result.sampled) {
      const auto found = state.sequences.find(sampled.request);
      // Ended while in flight: the token is neither emitted, counted nor cached.
      if (found == state.sequences.end() || !touches(step, sampled.request)) continue;
      take_token(state, *found->second, sampled, out);
    }
    out.logits = result.logits;
  }
  state.preempt_victims(out.preempted);
  state.pool.release(step.number);
  out.finished = std::exchange(state.finished, {});
  return out;
}

}  // namespace pitwall
