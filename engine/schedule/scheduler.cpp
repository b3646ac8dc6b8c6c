// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/schedule/scheduler.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "engine/base/units.h"
#include "engine/schedule/scheduler_state.h"
#include "engine/schedule/step_builder.h"

namespace pitwall {

namespace {

Error refuse_prompt(std::string what, std::string action) {
  return {.kind = Error::Kind::invalid_input,
          .what = std::move(what),
          .cause = {},
          .action = std::move(action),
          .param = "prompt"};
}

int logit_rows(const SchedulerConfig& config) {
  return std::max(config.max_logit_rows, config.max_num_seqs);
}

}  // namespace

Scheduler::State::State(const SchedulerConfig& first, KvCache& kv, const StepTimeModel* prior)
    : config(first), bounds(first), cache(kv), step_time(prior), policy(make_policy(first.policy)) {
  assert(first.check());
  slots.resize(static_cast<std::size_t>(first.max_num_seqs));
  for (int slot = first.max_num_seqs - 1; slot >= 0; --slot) free_slots.push_back(slot);
}

Scheduler::Scheduler(const SchedulerConfig& config, KvCache& cache, const StepTimeModel* prior)
    : state_(std::make_unique<State>(config, cache, prior)) {}

Scheduler::~Scheduler() = default;

const SchedulerConfig& Scheduler::config() const {
  return state_->config;
}

Result<void> Scheduler::reconfigure(const SchedulerConfig& config) {
  assert(!state_->planning);
  if (auto ok = config.check(); !ok) return ok;
  const SchedulerConfig& bounds = state_->bounds;
  const std::tuple<const char*, int, int> bounded[] = {
      {"max-num-seqs", config.max_num_seqs, bounds.max_num_seqs},
      {"max-num-batched-tokens", config.max_num_batched_tokens, bounds.max_num_batched_tokens},
      {"max-model-len", config.max_model_len, bounds.max_model_len},
      {"max-logit-rows", logit_rows(config), logit_rows(bounds)}};
  for (const auto& [setting, value, bound] : bounded) {
    if (value <= bound) continue;
    return Error{.kind = Error::Kind::invalid_input,
                 .what = std::string(setting) + " is " + std::to_string(value) +
                         "; the engine was started for " + std::to_string(bound),
                 .cause = {},
                 .action = "Use at most that, or start the engine anew",
                 .param = setting};
  }
  const int reserved = state_->cache.blocks_for(config.max_model_len);
  if (config.batching == Batching::fixed && reserved > state_->cache.total()) {
    return Error{.kind = Error::Kind::invalid_input,
                 .what = "Static batching reserves max-model-len, " + std::to_string(reserved) +
                         " KV blocks a sequence; the pool has " + std::to_string(state_->cache.total()),
                 .cause = {},
                 .action = "Lower max-model-len, or give the engine more kv-cache-memory-bytes",
                 .param = "batching"};
  }
  const bool policy = config.policy != state_->config.policy;
  const bool threshold = config.long_prefill_token_threshold != state_->config.long_prefill_token_threshold;
  const bool continuous = config.batching == Batching::continuous;
  state_->config = config;
  state_->config.rope_switch = bounds.rope_switch;
  if (policy || threshold) state_->reclassify(policy);
  for (Sequence* sequence : state_->queue.all()) sequence->refused_at = -1;
  if (continuous) {
    for (Sequence* sequence : state_->running) {
      sequence->reserved = false;
      if (!sequence->ended) state_->publish(*sequence);
    }
    state_->end_static_batch();
  }
  return {};
}

Result<void> Scheduler::add(Request request) {
  const SchedulerConfig& config = state_->config;
  const int prompt = static_cast<int>(request.prompt.size());
  if (prompt < 1) return refuse_prompt("The prompt has no tokens", "Send at least one token");
  const int room = config.max_model_len - prompt;
  if (room < 1) {
    return refuse_prompt("The prompt has " + format_count(prompt) + " tokens; max-model-len is " +
                             format_count(config.max_model_len) + ", prompt and output together",
                         "Shorten the prompt, or start the engine with a larger max-model-len");
  }
  const int limit = request.sampling.max_tokens > 0 ? std::min(request.sampling.max_tokens, room) : room;
  // The last token's KV is never needed; static batching reserves it all the same.
  const bool fixed = config.batching == Batching::fixed;
  const int blocks = state_->cache.blocks_for(fixed ? config.max_model_len : prompt + limit - 1);
  if (blocks > state_->cache.total()) {
    return refuse_prompt("The request needs " + format_count(blocks) + " KV blocks of " +
                             format_count(state_->cache.block_size()) + " tokens; the pool has " +
                             format_count(state_->cache.total()),
                         fixed ? "Lower max-model-len, or give the engine more kv-cache-memory-bytes"
                               : "Lower max_tokens, or give the engine more kv-cache-memory-bytes");
  }
  auto made = std::make_unique<Sequence>();
  Sequence& sequence = *made;
  sequence.tokens = request.prompt;
  sequence.limit = limit;
  sequence.evaluated = prompt;
  sequence.request = std::move(request);
  if (sequence.request.sampling.changes_logits())
    sequence.changes.emplace(sequence.request.sampling, sequence.tokens);
  if (state_->cache.config().prefix_caching)
    sequence.root = state_->cache.index().acquire_root(sequence.request.cache_key);
  if (config.rope_switch > 0) sequence.rope_end = config.rope_switch;
  sequence.lane = state_->policy->arrived(sequence.request);
  const bool inserted = state_->sequences.emplace(sequence.request.id, std::move(made)).second;
  assert(inserted);
  static_cast<void>(inserted);
  state_->enqueue(sequence, sequence.request.arrival);
  return {};
}

/// A sequence that has outgrown its rotary frequencies goes on with those of long ones: nothing that was
/// computed for it so far is of use.
void Scheduler::State::lengthen_rope(Sequence& sequence) {
  sequence.rope_end = std::numeric_limits<std::int32_t>::max();
  sequence.request.cache_key.long_rope = true;
  drop_swapped(sequence);
  if (sequence.root == kNoNode) return;
  cache.index().release_root(sequence.root);
  sequence.root = cache.index().acquire_root(sequence.request.cache_key);
  sequence.keys.clear();
}

void Scheduler::State::enqueue(Sequence& sequence, Nanos now) {
  if (sequence.length() > sequence.rope_end) lengthen_rope(sequence);
  sequence.is_long = is_long(sequence);
  sequence.since = now - sequence.waited;
  queue.push(sequence);
}

void Scheduler::State::reclassify(bool new_policy) {
  const std::vector<Sequence*> waiting = queue.all();
  for (Sequence* sequence : waiting) queue.erase(*sequence);
  if (new_policy) policy = make_policy(config.policy);
  for (const auto& [id, sequence] : sequences) {
    // Once at each policy: it counts who has come and who has left.
    if (new_policy) sequence->lane = policy->arrived(sequence->request);
    sequence->is_long = is_long(*sequence);
  }
  for (Sequence* sequence : waiting) queue.push(*sequence);
}

bool Scheduler::State::is_long(const Sequence& sequence) const {
  const int threshold = config.long_prefill_token_threshold;
  return threshold > 0 && sequence.prompt() > threshold;
}

bool Scheduler::State::before(const Sequence& a, const Sequence& b) const {
  const bool a_aged = a.waited > config.max_wait, b_aged = b.waited > config.max_wait;
  if (a_aged != b_aged) return a_aged;
  if (a_aged && a.waited != b.waited) return a.waited > b.waited;
  const std::int64_t a_rank = a_aged ? 0 : policy->rank(a.lane, scratch.tally);
  const std::int64_t b_rank = a_aged ? 0 : policy->rank(b.lane, scratch.tally);
  return std::tuple(a_rank, a.request.arrival, a.request.id) <
         std::tuple(b_rank, b.request.arrival, b.request.id);
}

bool Scheduler::State::leaving() const {
  return std::any_of(running.begin(), running.end(),
                     [](const Sequence* sequence) { return sequence->preempt; });
}

/// Full blocks that have been computed become findable.
void Scheduler::State::publish(Sequence& sequence) {
  if (sequence.root == kNoNode || sequence.reserved) return;
  const std::int32_t size = cache.block_size(), full = sequence.computed / size;
  if (sequence.published == full) return;
  cache.index().extend_keys(sequence.root, sequence.tokens, sequence.keys);
  for (; sequence.published < full; ++sequence.published) {
    const auto i = static_cast<std::size_t>(sequence.published);
    const auto tokens = std::span<const TokenId>(sequence.tokens)
                            .subspan(i * static_cast<std::size_t>(size), static_cast<std::size_t>(size));
    const bool merged =
        cache.publish(sequence.root, sequence.blocks, i, sequence.keys[i], tokens, sequence.last_step);
    if (merged && sequence.published < sequence.blocks_sent) sequence.replaced.push_back(sequence.published);
    const auto producer = producing.find(sequence.keys[i]);
    if (producer != producing.end() && producer->second == &sequence) producing.erase(producer);
  }
}

void Scheduler::State::stop_producing(Sequence& sequence) {
  for (auto i = std::max(sequence.producing_from, sequence.published); i < sequence.producing_to; ++i) {
    const auto producer = producing.find(sequence.keys[static_cast<std::size_t>(i)]);
    if (producer != producing.end() && producer->second == &sequence) producing.erase(producer);
  }
  sequence.producing_from = sequence.producing_to = 0;
}

/// Blocks and slot go back; the sequence is neither running nor waiting then.
void Scheduler::State::leave_running(Sequence& sequence) {
  stop_producing(sequence);
  cache.pool().free(sequence.blocks, sequence.last_step);
  sequence.blocks.clear();
  slots[static_cast<std::size_t>(sequence.slot.value)] = nullptr;
  free_slots.push_back(sequence.slot.value);
  std::erase(running, &sequence);
  sequence.slot = SlotId{-1};
}

void Scheduler::State::end(Sequence& sequence, FinishReason reason, const std::string& error,
                           FailureCause cause) {
  const RequestId id = sequence.request.id;
  finished.push_back({id, reason, error, cause});
  policy->left(sequence.lane);
  drop_swapped(sequence);
  auto node = sequences.extract(id);
  if (sequence.reserved && reason != FinishReason::error) {
    // Static batching: slot and blocks stay until the last one of the batch has ended.
    sequence.ended = true;
    sequence.padded = std::max(sequence.padded, sequence.planned);
    ended.push_back(std::move(node.mapped()));
  } else if (sequence.running()) {
    const std::int32_t size = cache.block_size();
    const bool tail = sequence.root != kNoNode && !sequence.reserved && reason != FinishReason::error &&
                      sequence.computed > sequence.published * size;
    if (tail) {
      const auto first = static_cast<std::size_t>(sequence.published);
      const auto tokens =
          std::span<const TokenId>(sequence.tokens)
              .subspan(first * static_cast<std::size_t>(size),
                       static_cast<std::size_t>(sequence.computed - sequence.published * size));
      cache.publish_tail(first == 0 ? sequence.root : sequence.blocks[first - 1].value, tokens,
                         sequence.blocks[first]);
    }
    leave_running(sequence);
  } else {
    queue.erase(sequence);
  }
  if (sequence.root != kNoNode) cache.index().release_root(sequence.root);
  end_static_batch();
}

void Scheduler::State::end_static_batch() {
  if (ended.empty()) return;
  const bool lives = std::any_of(running.begin(), running.end(), [](const Sequence* sequence) {
    return sequence->reserved && !sequence->ended;
  });
  if (lives) return;
  for (const auto& sequence : ended) leave_running(*sequence);
  ended.clear();
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

std::optional<StepPlan> Scheduler::plan(Nanos now) {
  State& state = *state_;
  assert(!state.planning && state.pending.size() < 2);
  for (bool admits = true;; admits = false) {
    state.planning = true;
    state.cache.pool().begin();
    StepPlan plan = StepBuilder(state, now).build(admits);
    if (!plan.slices.empty()) return plan;
    Sequence* victim = state.scratch.victim;
    discard();
    if (!state.pending.empty() || !victim) return std::nullopt;
    // Nothing is in flight and nothing can run without a victim's blocks: it leaves now.
    state.preempt(*victim, now, true);
  }
}

void Scheduler::launched() {
  State& state = *state_;
  assert(state.planning);
  Scratch& scratch = state.scratch;
  const std::uint64_t number = scratch.step.number;
  state.cache.keep();
  state.deferred = scratch.deferred;
  state.swaps_out.clear();
  for (const Admission& admission : scratch.admitted) {
    Sequence& sequence = *admission.sequence;
    state.queue.erase(sequence);
    state.free_slots.pop_back();
    sequence.slot = admission.slot;
    state.slots[static_cast<std::size_t>(admission.slot.value)] = &sequence;
    state.running.push_back(&sequence);
    sequence.waited = scratch.now - sequence.since;
    sequence.planned = admission.first;
    sequence.published = static_cast<std::int32_t>(admission.match.blocks.size());
    sequence.reserved = admission.reserved;
    sequence.padded = 0;
    sequence.awaited_key.reset();
    sequence.refused_at = -1;
    if (admission.match.tail_tokens > 0) state.cache.pool().free({&admission.match.tail, 1}, number);
    AdmissionEvent event{.request = sequence.request.id, .resumed = sequence.was_scheduled};
    event.swapped_tokens =
        admission.from_swap ? admission.first - sequence.published * state.cache.block_size() : 0;
    event.cached_tokens = admission.first - event.swapped_tokens;
    if (!event.resumed) {
      event.miss = admission.match.miss;
      event.miss_token = admission.match.miss_token;
    }
    state.admissions.push_back(event);
    sequence.was_scheduled = true;
    state.drop_swapped(sequence);
    state.policy->admitted(sequence.lane);
  }
  state.cache.count_copies(scratch.copies);
  state.predicted_blocks += scratch.predicted_blocks;
  state.taken_blocks += scratch.taken_blocks;
  if (scratch.victim) scratch.victim->preempt = true;
  for (const PlannedSlice& slice : scratch.step.slices) {
    Sequence& sequence = *state.slots[static_cast<std::size_t>(slice.slot.value)];
    sequence.last_step = number;
    sequence.blocks_sent = static_cast<std::int32_t>(sequence.blocks.size());
    sequence.replaced.clear();
    if (slice.padding) {
      sequence.padded = slice.end;
      continue;
    }
    if (!sequence.ended) state.policy->charge(sequence.lane, slice.end - sequence.planned);
    sequence.planned = slice.end;
    sequence.sampling += slice.samples ? 1 : 0;
  }
  state.pending.push_back(std::move(scratch.step));
  ++state.next_step;
  scratch = {};
  state.planning = false;
}

void Scheduler::discard() {
  State& state = *state_;
  assert(state.planning);
  for (const Scratch::Growth& growth : state.scratch.grown)
    growth.sequence->blocks.resize(growth.sequence->blocks.size() - static_cast<std::size_t>(growth.blocks));
  for (const Admission& admission : state.scratch.admitted) {
    state.stop_producing(*admission.sequence);
    admission.sequence->blocks.clear();
  }
  state.cache.pool().cancel();
  state.scratch = {};
  state.planning = false;
}

std::vector<FinishEvent> Scheduler::take_finished() {
  return std::exchange(state_->finished, {});
}
std::vector<AdmissionEvent> Scheduler::take_admissions() {
  return std::exchange(state_->admissions, {});
}
std::vector<PreemptionEvent> Scheduler::take_preempted() {
  return std::exchange(state_->preempted, {});
}
int Scheduler::running() const {
  return static_cast<int>(state_->running.size() - state_->ended.size());
}
int Scheduler::waiting() const {
  return static_cast<int>(state_->queue.size());
}
int Scheduler::deferred() const {
  return std::min(state_->deferred, waiting());
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
const StepTimeModel& Scheduler::step_time() const {
  return state_->step_time;
}

}  // namespace pitwall
