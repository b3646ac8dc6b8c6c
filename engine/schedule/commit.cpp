// SPDX-License-Identifier: GPL-3.0-or-later
// Scheduler::commit: the only place where request and block state changes for good.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#include "engine/schedule/scheduler_state.h"

namespace pitwall {

namespace {

/// Whom a launched slice belongs to, if it still runs.
Sequence* live(const Scheduler::State& state, const PlannedSlice& slice) {
  Sequence* sequence = state.slots[static_cast<std::size_t>(slice.slot.value)];
  return sequence && sequence->request.id == slice.request && !sequence->ended ? sequence : nullptr;
}

/// What a failed step moved to the swap space is not to be trusted.
void distrust_swaps(Scheduler::State& state, const PendingStep& step) {
  for (const RequestId id : step.swapped_out) {
    const auto found = state.sequences.find(id);
    if (found != state.sequences.end()) state.drop_swapped(*found->second);
  }
}

/// Memory that a step lacked grows with its rows: the one that brought most of them, of equals the newest.
RequestId largest_of(const Scheduler::State& state, const PendingStep& step) {
  RequestId largest;
  std::int32_t rows = 0;
  for (const PlannedSlice& slice : step.slices) {
    if (slice.padding || !live(state, slice)) continue;
    if (slice.count > rows || (slice.count == rows && slice.request > largest)) {
      rows = slice.count;
      largest = slice.request;
    }
  }
  return largest;
}

/// The step failed. Whoever is at fault ends with the error: for want of memory one request, else all of the
/// step. The others, and those of a later step in flight, start again from their tokens.
void drop_pending(Scheduler::State& state, const PendingStep& failed, const Error& error, Nanos now) {
  distrust_swaps(state, failed);
  const bool memory = error.kind == Error::Kind::out_of_memory;
  const RequestId largest = memory ? largest_of(state, failed) : RequestId{};
  for (const PlannedSlice& slice : failed.slices) {
    Sequence* sequence = live(state, slice);
    if (sequence && (!memory || slice.request == largest))
      state.end(*sequence, FinishReason::error, error.text(),
                memory ? FailureCause::out_of_memory : FailureCause::step);
  }
  const auto restart = [&](const PendingStep& step) {
    for (const PlannedSlice& slice : step.slices) {
      if (Sequence* sequence = live(state, slice)) state.preempt(*sequence, now, false);
    }
  };
  for (PendingStep& later : state.pending) {
    later.dropped = true;
    distrust_swaps(state, later);
    restart(later);
    later.slices.clear();
  }
  restart(failed);
  state.end_static_batch();
}

Error not_finite(const Sequence& sequence, const std::string& arithmetic) {
  return {Error::Kind::internal,
          "The logits after " + std::to_string(sequence.tokens.size()) +
              " tokens hold numbers that are not finite (computed in " + arithmetic + ")",
          "Activations passed the range of a dtype, or the file's weights hold infinity",
          "Choose bfloat16 or float32 for kv-cache-dtype, or another quantisation of the model",
          "kv-cache-dtype"};
}

void take_token(Scheduler::State& state, Sequence& sequence, const SampledToken& sampled, Committed& out) {
  if (sequence.changes) {
    if (auto ok = sequence.changes->take(sampled.token); !ok)
      return state.end(sequence, FinishReason::error, ok.error().text(), FailureCause::rule);
  }
  sequence.tokens.push_back(sampled.token);
  --sequence.sampling;
  const auto& ends = sequence.request.sampling.end_tokens;
  const bool end = std::find(ends.begin(), ends.end(), sampled.token) != ends.end();
  out.tokens.push_back({sequence.request.id, sampled.token, sampled.logprob, end, sampled.logprobs});
  if (end) {
    state.end(sequence, FinishReason::stop, {});
  } else if (sequence.outputs() >= sequence.limit) {
    state.end(sequence, FinishReason::length, {});
  }
}

/// Of prompt positions that were not handed out before: a preempted sequence computes some again.
void take_prompt_logprobs(Scheduler::State& state, const PromptLogprobs& given, Committed& out) {
  const auto found = state.sequences.find(given.request);
  if (found == state.sequences.end()) return;
  Sequence& sequence = *found->second;
  const auto end = std::min(given.first_position + static_cast<std::int32_t>(given.positions.size()),
                            sequence.prompt() - 1);
  if (end <= sequence.reported) return;
  assert(given.first_position <= sequence.reported);
  const auto at = [&](std::int32_t position) {
    return given.positions.begin() + (position - given.first_position);
  };
  out.prompt_logprobs.push_back({given.request, sequence.reported, {at(sequence.reported), at(end)}});
  sequence.reported = end;
}

void fold_in(Scheduler::State& state, const PendingStep& step, const StepResult& result, Committed& out) {
  for (const PlannedSlice& slice : step.slices) {
    Sequence* sequence = slice.padding ? nullptr : live(state, slice);
    if (!sequence) continue;
    sequence->computed = slice.end;
    state.publish(*sequence);
  }
  for (const PromptLogprobs& given : result.prompt_logprobs) take_prompt_logprobs(state, given, out);
  auto sampled = result.sampled.begin();
  for (const PlannedSlice& slice : step.slices) {
    if (!slice.samples) continue;
    assert(sampled != result.sampled.end() && sampled->request == slice.request);
    // Ended while in flight: the token is neither emitted, counted nor cached.
    Sequence* sequence = live(state, slice);
    if (sequence && std::isnan(sampled->logprob)) {
      state.end(*sequence, FinishReason::error, not_finite(*sequence, result.arithmetic).text(),
                FailureCause::not_finite);
    } else if (sequence) {
      take_token(state, *sequence, *sampled, out);
    }
    ++sampled;
  }
  out.logits = result.logits;
  state.step_time.observe(step.shape, result.finished - result.started - result.swapping, result.swapping);
}

}  // namespace

Committed Scheduler::commit(const StepResult& result, Nanos now) {
  State& state = *state_;
  assert(!state.planning && !state.pending.empty() && state.pending.front().number == result.number);
  const PendingStep step = std::move(state.pending.front());
  state.pending.pop_front();

  Committed out;
  if (result.error && !step.dropped) {
    drop_pending(state, step, *result.error, now);
  } else if (!step.dropped) {
    fold_in(state, step, result, out);
  }
  state.preempt_victims(step.number, now);
  state.preempt_outgrown(step.number, now);
  state.cache.pool().release(step.number);
  out.finished = std::exchange(state.finished, {});
  out.preempted = std::exchange(state.preempted, {});
  return out;
}

}  // namespace pitwall
