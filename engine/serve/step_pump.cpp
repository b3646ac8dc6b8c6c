// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/step_pump.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace pitwall {

namespace {

template <class Count>
Count clamped(std::int64_t value) {
  return static_cast<Count>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<Count>::max()));
}

StepRecord record_of(const StepPlan& plan) {
  StepRecord record;
  record.step = plan.number;
  record.prefill_tokens = plan.shape.prefill_tokens;
  record.decode_tokens = plan.shape.decode_tokens;
  record.padding_tokens = plan.shape.padding_tokens;
  record.sequences = plan.shape.sequences;
  record.decode_context = plan.shape.decode_context;
  record.prefill_pairs = plan.shape.prefill_pairs;
  record.joined = clamped<std::int16_t>(std::ssize(plan.joins));
  record.copied = clamped<std::int16_t>(std::ssize(plan.copies));
  record.evicted = clamped<std::int16_t>(plan.evicted);
  record.swapped_out = clamped<std::int16_t>(std::ssize(plan.swaps_out));
  record.swapped_in = clamped<std::int16_t>(std::ssize(plan.swaps_in));
  return record;
}

}  // namespace

bool StepPump::launch_next() {
  if (scheduler_.in_flight() >= 2) return false;
  const Nanos began = clock_.now();
  std::optional<StepPlan> plan = scheduler_.plan(began);
  std::vector<PreemptionEvent> preempted = scheduler_.take_preempted();
  preempted.insert(preempted.begin(), unplaced_.begin(), unplaced_.end());
  unplaced_.clear();
  if (!plan) {
    unplaced_ = std::move(preempted);  // the next step names them
    return false;
  }
  InFlight step;
  step.record = record_of(*plan);
  record_preemptions(step, preempted, began);
  step.evicted = plan->evicted;
  step.record.predicted_ns = clamped<std::int32_t>(scheduler_.step_time().predict(plan->shape));
  step.record.launched = clock_.now();
  step.record.plan_ns = clamped<std::int32_t>(step.record.launched - began);
  executor_.launch(*std::move(plan));
  scheduler_.launched();
  record_admissions(step);
  in_flight_.push_back(std::move(step));
  return true;
}

Committed StepPump::collect_oldest() {
  const StepResult result = executor_.collect();
  InFlight step = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (result.abandoned) return {};
  StepRecord& record = step.record;
  const Nanos began = clock_.now();
  Committed committed = scheduler_.commit(result, began);
  record.commit_ns = clamped<std::int32_t>(clock_.now() - began);
  if (result.error) spdlog::error("step {} failed: {}", result.number, result.error->text());
  record.started = result.started;
  record.finished = result.finished;
  record.graph_hit = result.replayed;
  record.swap_ns = clamped<std::int32_t>(result.swapping);
  // Work was there since the step was launched, or since the one before it ended, whichever is later.
  if (last_finished_ > 0) record.gap_ns = clamped<std::int32_t>(record.started - last_finished_);
  last_finished_ = record.finished;
  record.left = clamped<std::int16_t>(std::ssize(committed.finished));
  record.waiting = scheduler_.waiting();
  const KvCacheCounts counts = cache_.counts();
  record.kv_used_blocks = counts.used;
  record.kv_cached_blocks = counts.cached;
  record_preemptions(step, committed.preempted, began);
  for (const FinishEvent& end : committed.finished) {
    step.events.push_back({record.step, end.request, StepEvent::Kind::left, 0});
  }
  recorder_.step(record, step.events, step.evicted);
  return committed;
}

void StepPump::drain() {
  for (; !in_flight_.empty(); in_flight_.pop_front()) static_cast<void>(executor_.collect());
}

void StepPump::record_admissions(InFlight& step) {
  for (const AdmissionEvent& event : scheduler_.take_admissions()) {
    recorder_.admitted(event, step.record.launched);
    step.events.push_back({step.record.step, event.request,
                           event.resumed ? StepEvent::Kind::resumed : StepEvent::Kind::joined,
                           event.cached_tokens + event.swapped_tokens});
  }
}

void StepPump::record_preemptions(InFlight& step, const std::vector<PreemptionEvent>& preempted, Nanos at) {
  for (const PreemptionEvent& event : preempted) {
    recorder_.preempted(event, at);
    spdlog::debug("request {} was preempted: {} tokens {}, {} KV blocks were free", event.request.value,
                  event.tokens, event.swapped ? "swapped out" : "thrown away", event.free_blocks);
    step.events.push_back({step.record.step, event.request,
                           event.swapped ? StepEvent::Kind::swapped_out : StepEvent::Kind::preempted,
                           event.tokens});
    ++step.record.preempted;
  }
}

}  // namespace pitwall
