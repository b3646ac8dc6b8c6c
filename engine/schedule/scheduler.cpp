// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/schedule/scheduler.h"

#include <algorithm>
#include <cassert>

#include "engine/schedule/scheduler_state.h"

namespace pitwall {

Scheduler::Scheduler(const SchedulerConfig& config, BlockPool& pool)
    : state_(std::make_unique<State>(config, pool)) {
  for (int slot = config.max_num_seqs - 1; slot >= 0; --slot) state_->free_slots.push_back(slot);
}

Scheduler::~Scheduler() = default;

Result<void> Scheduler::add(Request request) {
  const int prompt = static_cast<int>(request.prompt.size());
  const auto refuse = [](std::string what, std::string action) -> Error {
    return {.kind = Error::Kind::invalid_input,
            .what = std::move(what),
            .cause = {},
            .action = std::move(action),
            .param = "prompt"};
  };
  if (prompt < 1) return refuse("The prompt has no tokens", "Send at least one token");
  const int room = state_->config.max_model_len - prompt;
  if (room < 1) {
    return refuse("The prompt has " + std::to_string(prompt) + " tokens; max-model-len is " +
                      std::to_string(state_->config.max_model_len) + ", prompt and output together",
                  "Shorten the prompt, or start the engine with a larger max-model-len");
  }
  const int limit = request.sampling.max_tokens > 0 ? std::min(request.sampling.max_tokens, room) : room;
  // The last token's KV is never needed.
  const int blocks = state_->pool.blocks_for(prompt + limit - 1);
  if (blocks > state_->pool.total()) {
    return refuse("The request needs " + std::to_string(blocks) + " KV blocks of " +
                      std::to_string(state_->pool.block_size()) + " tokens; the pool has " +
                      std::to_string(state_->pool.total()),
                  "Lower max_tokens, or give the engine more kv-cache-memory-bytes");
  }
  auto sequence = std::make_unique<Sequence>();
  sequence->tokens = request.prompt;
  sequence->limit = limit;
  sequence->evaluated = prompt;
  const RequestId id = request.id;
  sequence->request = std::move(request);
  Sequence* raw = sequence.get();
  const bool inserted = state_->sequences.emplace(id, std::move(sequence)).second;
  assert(inserted);
  static_cast<void>(inserted);
  state_->waiting.push_back(raw);
  return {};
}

void Scheduler::State::end(Sequence& sequence, FinishReason reason, const std::string& error) {
  finished.push_back({sequence.request.id, reason, error});
  pool.free(sequence.blocks, sequence.last_step);
  if (sequence.running()) {
    free_slots.push_back(sequence.slot.value);
    std::erase(running, &sequence);
  } else {
    std::erase(waiting, &sequence);
  }
  sequences.erase(sequence.request.id);
}

void Scheduler::State::preempt(Sequence& sequence) {
  pool.free(sequence.blocks, sequence.last_step);
  sequence.blocks.clear();
  free_slots.push_back(sequence.slot.value);
  std::erase(running, &sequence);
  sequence.slot = SlotId{-1};
  sequence.computed = sequence.planned = sequence.sampling = sequence.blocks_sent = 0;
  sequence.evaluated = static_cast<std::int32_t>(sequence.tokens.size());
  sequence.preempt = false;
  waiting.push_front(&sequence);
  ++preemptions;
}

void Scheduler::State::preempt_victims(std::vector<RequestId>& preempted) {
  const std::vector<Sequence*> all = running;
  for (std::size_t i = all.size(); i-- > 0;) {  // youngest first, so that the oldest ends at the queue's head
    const bool in_flight = std::any_of(pending.begin(), pending.end(), [&](const PendingStep& step) {
      return std::any_of(step.slices.begin(), step.slices.end(),
                         [&](const PlannedSlice& slice) { return slice.request == all[i]->request.id; });
    });
    if (!all[i]->preempt || in_flight)
      continue;  // a victim in flight leaves at its own commit, with its token
    preempted.push_back(all[i]->request.id);
    preempt(*all[i]);
  }
}

void Scheduler::finish(RequestId id, FinishReason reason, const std::string& error) {
  assert(!state_->planning);
  const auto found = state_->sequences.find(id);
  if (found != state_->sequences.end()) state_->end(*found->second, reason, error);
}

void Scheduler::acknowledge(RequestId id, int tokens) {
  const auto found = state_->sequences.find(id);
  if (found != state_->sequences.end()) found->second->acknowledged = tokens;
}

std::optional<StepPlan> Scheduler::plan(Nanos) {
  assert(!state_->planning && state_->pending.size() < 2);
  StepPlan plan = StepBuilder(*state_).build();
  state_->planning = true;
  if (!plan.slices.empty()) return plan;
  const bool stuck = state_->pending.empty() && !state_->scratch.victims.empty();
  discard();
  if (!stuck) return std::nullopt;
  // Nothing is in flight and nothing can run without a victim's blocks: it leaves now.
  for (Sequence* victim : std::vector<Sequence*>(state_->scratch.victims)) state_->preempt(*victim);
  state_->scratch = {};
  plan = StepBuilder(*state_).build();
  state_->planning = true;
  if (!plan.slices.empty()) return plan;
  discard();
  return std::nullopt;
}

void Scheduler::launched() {
  assert(state_->planning);
  Scratch& scratch = state_->scratch;
  for (std::size_t i = 0; i < scratch.admitted.size(); ++i) {
    Sequence& sequence = *scratch.admitted[i];
    sequence.slot = SlotId{scratch.slots[i]};
    state_->running.push_back(&sequence);
    state_->waiting.pop_front();
    state_->free_slots.pop_back();
    if (!sequence.was_scheduled) state_->first_scheduled.push_back(sequence.request.id);
    sequence.was_scheduled = true;
  }
  for (Sequence* victim : scratch.victims) victim->preempt = true;
  for (const PlannedSlice& slice : scratch.step.slices) {
    Sequence& sequence = *state_->sequences.at(slice.request);
    sequence.planned += slice.count;
    sequence.sampling += slice.samples ? 1 : 0;
    sequence.last_step = scratch.step.number;
    sequence.blocks_sent = static_cast<std::int32_t>(sequence.blocks.size());
  }
  state_->pending.push_back(std::move(scratch.step));
  ++state_->next_step;
  state_->scratch = {};
  state_->planning = false;
}

void Scheduler::discard() {
  assert(state_->planning);
  for (auto it = state_->scratch.allocations.rbegin(); it != state_->scratch.allocations.rend(); ++it) {
    state_->pool.undo_allocate(it->blocks, it->sequence->blocks);
  }
  state_->planning = false;
}

std::vector<FinishEvent> Scheduler::take_finished() {
  return std::exchange(state_->finished, {});
}
std::vector<RequestId> Scheduler::take_scheduled() {
  return std::exchange(state_->first_scheduled, {});
}
int Scheduler::running() const {
  return static_cast<int>(state_->running.size());
}
int Scheduler::waiting() const {
  return static_cast<int>(state_->waiting.size());
}
int Scheduler::in_flight() const {
  return static_cast<int>(state_->pending.size());
}
bool Scheduler::idle() const {
  return state_->sequences.empty() && state_->pending.empty() && state_->finished.empty();
}
std::int64_t Scheduler::preemptions() const {
  return state_->preemptions;
}

}  // namespace pitwall
