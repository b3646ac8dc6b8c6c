// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/schedule_rig.h"

#include <algorithm>
#include <limits>

namespace pitwall::test {

ScheduleRig::ScheduleRig(const SchedulerConfig& config, const RigOptions& options)
    : cache(options.cache),
      scheduler(config, cache, options.prior),
      executor(config.max_num_seqs, options.cache.blocks, options.cache.block_size, options.cache.swap_blocks,
               options.vocabulary),
      vocabulary(options.vocabulary) {
  executor.switch_rope_after(config.rope_switch);
}

Result<void> ScheduleRig::add(Request request) {
  executor.expect(request.id, request.prompt, request.cache_key);
  const std::uint64_t id = request.id.value;
  Client client;
  client.request = request;
  client.since = request.arrival;
  if (auto ok = scheduler.add(std::move(request)); !ok) return ok;
  clients.emplace(id, std::move(client));
  return {};
}

bool ScheduleRig::launch() {
  auto plan = scheduler.plan(now);
  take_events();
  if (!plan) return false;
  check_plan(*plan);
  check_order(*plan);
  scheduler.launched();
  take_events();
  for (const SequenceSlice& slice : plan->slices) {
    Client& client = clients.at(slice.request.value);
    if (!slice.padding && slice.prefill && client.preemptions == 0 && client.tokens.empty())
      client.computed += slice.count;
  }
  Flight flight;
  flight.result = executor.run(*plan);
  check_blocks(*plan);
  for (const SequenceSlice& slice : plan->slices) {
    const auto& table = executor.table(slice.slot);
    flight.blocks[slice.request.value].insert(table.begin(), table.end());
  }
  for (const BlockCopy& copy : plan->copies) flight.blocks[0].insert(copy.from);
  flight.result.started = now;
  flight.result.swapping = swap_time * plan->shape.swapped_blocks;
  flight.result.finished = now + step_time + flight.result.swapping;
  in_flight_.push_back(std::move(flight));
  plans.push_back(std::move(*plan));
  return true;
}

bool ScheduleRig::discard() {
  const std::string before = cache.dump();
  const std::int64_t preempted = scheduler.preemptions();
  const auto plan = scheduler.plan(now);
  take_events();
  if (!plan) return false;
  scheduler.discard();
  if (scheduler.preemptions() > preempted) return true;  // with nothing in flight it may do that
  if (cache.dump() != before) fail("a discarded plan changed the cache");
  const auto again = scheduler.plan(now);
  if (!again || again->tokens != plan->tokens || again->appends.size() != plan->appends.size() ||
      !std::equal(plan->appends.begin(), plan->appends.end(), again->appends.begin(),
                  [](const BlockAppend& a, const BlockAppend& b) {
                    return a.slot == b.slot && a.index == b.index && a.block == b.block;
                  })) {
    fail("a discarded plan changed the next one");
  }
  if (again) scheduler.discard();
  if (cache.dump() != before) fail("a discarded plan changed the cache");
  return true;
}

void ScheduleRig::commit(std::optional<Error> error) {
  StepResult result = std::move(in_flight_.front().result);
  in_flight_.pop_front();
  result.error = std::move(error);
  now += step_time;
  const Committed committed = scheduler.commit(result, now);
  note(committed.preempted);
  for (const PromptLogprobs& event : committed.prompt_logprobs) take_prompt_logprobs(event);
  for (const TokenEvent& event : committed.tokens) take_token(event, result.number);
  for (const FinishEvent& event : committed.finished) {
    Client& client = clients.at(event.request.value);
    if (client.end) fail("a request ended twice");
    client.end = event;
  }
  if (auto ok = scheduler.check(); !ok) fail(ok.error().what);
}

void ScheduleRig::take_token(const TokenEvent& event, std::uint64_t step) {
  Client& client = clients.at(event.request.value);
  if (client.end) fail("a token after the end");
  if (client.tokens.empty()) client.first_token_step = static_cast<int>(step);
  client.tokens.push_back(event.token);
  const auto& asked = client.request.sampling.logprobs;
  if (event.logprobs.has_value() != asked.has_value() ||
      (asked && (event.logprobs->chosen.token != event.token ||
                 event.logprobs->top.size() != static_cast<std::size_t>(*asked)))) {
    fail("logprobs of another token, or of nobody who asked");
  }
}

/// Each position once and in order: the fake device's ranks say which they are.
void ScheduleRig::take_prompt_logprobs(const PromptLogprobs& event) {
  Client& client = clients.at(event.request.value);
  if (event.first_position != client.prompt_logprobs) fail("logprobs of a prompt come in another order");
  for (const PositionLogprobs& position : event.positions) {
    const std::int32_t next = ++client.prompt_logprobs;
    if (next >= static_cast<std::int32_t>(client.request.prompt.size()) || position.chosen.rank != next ||
        position.chosen.token != client.request.prompt[static_cast<std::size_t>(next)]) {
      fail("logprobs of another token of the prompt");
    }
  }
}

void ScheduleRig::take_events() {
  for (const FinishEvent& event : scheduler.take_finished()) {
    Client& client = clients.at(event.request.value);
    if (client.end) fail("a request ended twice");
    client.end = event;
  }
  for (const AdmissionEvent& event : scheduler.take_admissions())
    clients.at(event.request.value).admissions.push_back(event);
  note(scheduler.take_preempted());
}

void ScheduleRig::note(const std::vector<PreemptionEvent>& events) {
  for (const PreemptionEvent& event : events) {
    Client& client = clients.at(event.request.value);
    ++client.preemptions;
    client.waiting = true;
    client.since += now;  // it was minus all waits together
    preemptions.push_back(event);
    preempted_after.push_back(plans.size());
  }
}

void ScheduleRig::run() {
  for (int turns = 0; !scheduler.idle(); ++turns) {
    while (in_flight_.size() < 2 && launch()) {
    }
    take_events();
    if (in_flight_.empty() || turns > 200'000) break;
    commit();
  }
  if (!scheduler.idle()) fail("something waits and nothing runs");
}

/// Budget, slots, order of slices, and the shape it states.
void ScheduleRig::check_plan(const StepPlan& plan) {
  const SchedulerConfig& config = scheduler.config();
  StepShape shape;
  std::set<std::int32_t> slots;
  std::int32_t offset = 0;
  for (const SequenceSlice& slice : plan.slices) {
    if (slice.count < 1) fail("an empty slice");
    if (slice.token_offset != offset) fail("tokens are not in slice order");
    offset += slice.count;
    if (!slots.insert(slice.slot.value).second && !slice.padding) fail("two slices of one sequence");
    if (slice.padding) {
      shape.padding_tokens += slice.count;
      continue;
    }
    ++shape.sequences;
    const bool every_row = slice.all_logits || slice.prompt_logprobs >= 0;
    shape.logit_rows += every_row ? slice.count : (slice.samples ? 1 : 0);
    const SamplingParams& sampling = clients.at(slice.request.value).request.sampling;
    if ((sampling.penalises() || sampling.guide) &&
        plan.tokens[static_cast<std::size_t>(slice.token_offset)] == kPreviousToken)
      fail("a token is planned before the one is known that its logits depend on");
    for (std::int64_t p = slice.first_position; p < slice.first_position + slice.count; ++p)
      (slice.prefill ? shape.prefill_pairs : shape.decode_context) += p + 1;
    (slice.prefill ? shape.prefill_tokens : shape.decode_tokens) += slice.count;
    if (slice.prefill) shape.prefill_context += slice.first_position + slice.count;
    if (!slice.prefill && slice.count != 1) fail("a decode of several tokens");
  }
  shape.swapped_blocks = static_cast<std::int64_t>(plan.swaps_out.size() + plan.swaps_in.size());
  const StepShape& stated = plan.shape;
  if (shape.sequences != stated.sequences || shape.prefill_tokens != stated.prefill_tokens ||
      shape.decode_tokens != stated.decode_tokens || shape.padding_tokens != stated.padding_tokens ||
      shape.decode_context != stated.decode_context || shape.prefill_context != stated.prefill_context ||
      shape.prefill_pairs != stated.prefill_pairs || shape.logit_rows != stated.logit_rows ||
      shape.swapped_blocks != stated.swapped_blocks) {
    fail("the plan states another shape than it has");
  }
  if (static_cast<int>(plan.tokens.size()) > config.max_num_batched_tokens) fail("a step over its budget");
  if (shape.logit_rows > std::max(config.max_logit_rows, config.max_num_seqs)) fail("too many logit rows");
}

/// Nobody who has waited longer than max_wait is overtaken by one who has waited less.
void ScheduleRig::check_order(const StepPlan& plan) {
  if (plan.joins.empty()) return;
  Nanos first = std::numeric_limits<Nanos>::max();  // the shortest wait that got in
  for (const SlotJoin& join : plan.joins) {
    Client& client = clients.at(join.request.value);
    first = std::min(first, now - client.since);
    client.waiting = false;
    client.since -= now;
  }
  for (const auto& [id, client] : clients) {
    if (client.waiting && !client.end && now - client.since > std::max(first, scheduler.config().max_wait))
      fail("request " + std::to_string(id) + " is overtaken although it has waited too long");
  }
}

/// What a step writes belongs to one sequence, is not findable, and is in no other sequence's step in flight.
void ScheduleRig::check_blocks(const StepPlan& plan) {
  const auto size = static_cast<std::int32_t>(cache.block_size());
  for (const SequenceSlice& slice : plan.slices) {
    const auto& table = executor.table(slice.slot);
    for (std::int32_t i = slice.first_position / size; i <= (slice.first_position + slice.count - 1) / size;
         ++i) {
      if (i >= static_cast<std::int32_t>(table.size())) continue;  // the executor said so
      const BlockId block = table[static_cast<std::size_t>(i)];
      if (cache.pool().references(block) != 1 || cache.pool().retained(block))
        fail("a step writes a shared or findable block");
      for (const Flight& flight : in_flight_) {
        for (const auto& [request, blocks] : flight.blocks) {
          if (request != slice.request.value && blocks.contains(block))
            fail("a block is written while another sequence's step may touch it");
        }
      }
    }
  }
}

std::vector<TokenId> ScheduleRig::expected(std::uint64_t id, int count) const {
  return continuation(clients.at(id).request, count, vocabulary);
}

std::string ScheduleRig::problem() const {
  if (!problems_.empty()) return problems_.front();
  return executor.problems().empty() ? "" : executor.problems().front();
}

Request make_request(std::uint64_t id, int length, int max_tokens, int shared, int family, int vocabulary) {
  Request request;
  request.id = RequestId{id};
  request.arrival = 0;
  const auto token = [&](std::uint64_t stream, int position) {
    const std::uint64_t mixed =
        (stream * 7919 + static_cast<std::uint64_t>(position) * 104'729 + 13) * 0x9E3779B97F4A7C15ULL;
    return static_cast<TokenId>((mixed >> 33) % static_cast<std::uint64_t>(vocabulary));
  };
  for (int i = 0; i < length; ++i) {
    const auto stream = i < shared ? 1'000'000'000ULL + static_cast<std::uint64_t>(family) : id;
    request.prompt.push_back(token(stream, i));
  }
  request.sampling.max_tokens = max_tokens;
  return request;
}

}  // namespace pitwall::test
