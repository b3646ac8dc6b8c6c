// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/recorder.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "engine/telemetry/laps.h"
#include "engine/telemetry/recorder_state.h"

namespace pitwall {
namespace {

Percentiles percentiles_of(const QuantileSketch& sketch) {
  Percentiles result;
  result.n = sketch.count();
  result.mean = sketch.mean();
  result.p50 = sketch.quantile(0.50);
  result.p90 = sketch.quantile(0.90);
  result.p99 = sketch.quantile(0.99);
  result.max = sketch.max();
  return result;
}

/// "messages[1] (user), token 31"
std::string part_at(const std::vector<PromptPart>& parts, std::int32_t token) {
  if (token < 0) return {};
  const auto after =
      std::upper_bound(parts.begin(), parts.end(), token,
                       [](std::int32_t t, const PromptPart& part) { return t < part.first_token; });
  if (after == parts.begin()) return {};
  const PromptPart& part = *std::prev(after);
  return part.name + ", token " + std::to_string(token - part.first_token);
}

std::size_t index_of(Recorder::Measure measure) {
  return static_cast<std::size_t>(measure);
}

/// 1, 2, 5, 10, 20, 50 … up to what no context reaches.
std::vector<double> one_two_five() {
  std::vector<double> edges;
  for (double decade = 1; decade < 1e8; decade *= 10) {
    for (const double step : {1, 2, 5}) edges.push_back(step * decade);
  }
  return edges;
}

}  // namespace

const std::vector<double>& Recorder::edges(Measure measure) {
  // vLLM's edges are all among these (vllm/v1/metrics/loggers.py), with finer ones below where a fast device
  // would fill its first bucket alone.
  static const std::vector<double> ttft = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75,
                                           1.0,   2.5,   5.0,  7.5,  10,   20,   40,   80,  160,  640, 2560};
  static const std::vector<double> gap = {0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01,
                                          0.025,  0.05,  0.075,  0.1,   0.15,  0.2,   0.3,   0.4,    0.5,
                                          0.75,   1.0,   2.5,    5.0,   7.5,   10,    20,    40,     80};
  static const std::vector<double> whole = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2,  0.3, 0.5,
                                            0.8,   1.0,    1.5,   2.0,  2.5,   5.0,  10,  15,   20,  30,
                                            40,    50,     60,    120,  240,   480,  960, 1920, 7680};
  static const std::vector<double> tokens = one_two_five();
  static const std::vector<double> step = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  static const std::vector<double> choices = {1, 2, 5, 10, 20};
  switch (measure) {
    case Measure::ttft:
      return ttft;
    case Measure::tpot:
    case Measure::itl:
      return gap;
    case Measure::e2e:
    case Measure::queue:
    case Measure::prefill:
    case Measure::decode:
    case Measure::inference:
      return whole;
    case Measure::prompt_tokens:
    case Measure::computed_tokens:
    case Measure::output_tokens:
    case Measure::asked_tokens:
      return tokens;
    case Measure::step_tokens:
      return step;
    case Measure::asked_n:
      return choices;
  }
  return whole;
}

Recorder::Recorder(const Clock& clock) : state_(std::make_shared<State>()), clock_(clock) {
  state_->origin = clock.now();
  state_->origin_utc = clock.utc_now();
  state_->utc_ahead = state_->origin_utc - state_->origin;
  for (std::size_t i = 0; i < kMeasures; ++i)
    state_->histograms[i].per_edge.resize(edges(static_cast<Measure>(i)).size());
}

void Recorder::asked(int choices, std::int64_t max_tokens) {
  const std::lock_guard lock(state_->mutex);
  if (choices > 0) state_->count(Measure::asked_n, choices);
  state_->count(Measure::asked_tokens, static_cast<double>(max_tokens));
}

void Recorder::arrived(const RequestRecord& request, std::vector<PromptPart> parts) {
  const std::lock_guard lock(state_->mutex);
  State::Live& live = state_->live[request.id];
  live = {};
  live.record = request;
  live.scheduled = request.scheduled > 0;
  live.parts = std::move(parts);
}

void Recorder::admitted(const AdmissionEvent& event, Nanos at) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->live.find(event.request);
  if (found == state_->live.end()) return;
  State::Live& live = found->second;
  if (live.preempted_at) {
    live.preemptions.push_back({*live.preempted_at, at});
    live.preempted_at.reset();
  }
  if (live.scheduled) return;
  live.scheduled = true;
  RequestRecord& record = live.record;
  record.scheduled = at;
  record.cached_tokens = event.cached_tokens;
  record.miss = event.miss;
  record.miss_token = event.miss_token;
  record.miss_part = part_at(live.parts, event.miss_token);
  live.parts = {};
  SecondTally& tally = state_->tally_at(at);
  state_->observe(Measure::queue, &tally.latency.queue, at - record.arrival);
  ++state_->totals.misses[static_cast<std::size_t>(event.miss)];
  if (event.miss == MissReason::disabled) return;  // nothing was looked up
  tally.prefix_query_tokens += record.prompt_tokens;
  tally.prefix_hit_tokens += event.cached_tokens;
  state_->totals.prefix_query_tokens += record.prompt_tokens;
  state_->totals.prefix_hit_tokens += event.cached_tokens;
  state_->lookups.push({record.prompt_tokens, event.cached_tokens});
}

void Recorder::token(RequestId id, Nanos at, int tokens) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->live.find(id);
  if (found == state_->live.end() || tokens < 1) return;
  RequestRecord& record = found->second.record;
  SecondTally& tally = state_->tally_at(at);
  // The engine thread may be ahead: a preemption after `at` waits for the next token.
  const Nanos preempted = found->second.preempted_until(at);
  record.preempted_ns += preempted;
  if (record.output_tokens == 0) {
    record.preempted_before_first_ns = record.preempted_ns;
    record.first_token = at;
    state_->totals.prompt_tokens += record.prompt_tokens;
    state_->sources.cached_prompt_tokens += record.cached_tokens;
    state_->sources.computed_prompt_tokens += record.prompt_tokens - record.cached_tokens;
    state_->observe(Measure::ttft, &tally.latency.ttft, at - record.arrival);
  } else {
    const Nanos gap = (at - record.last_token) / tokens;
    record.max_itl = std::max(record.max_itl, gap);
    state_->observe(Measure::itl, &tally.latency.itl, gap, tokens);
  }
  record.last_token = at;
  record.output_tokens += tokens;
  tally.output_tokens += tokens;
  state_->totals.output_tokens += tokens;
  state_->output_rate.add(at, tokens);
}

void Recorder::preempted(const PreemptionEvent& event, Nanos at) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->live.find(event.request);
  if (found == state_->live.end()) return;
  found->second.preempted_at = at;
  RequestRecord& record = found->second.record;
  ++record.preemptions;
  (event.swapped ? record.swapped_tokens : record.recomputed_tokens) += event.tokens;
  ++state_->totals.preemptions;
  ++(event.swapped ? state_->sources.swaps : state_->sources.recomputes);
  (event.swapped ? state_->totals.swapped_tokens : state_->totals.recomputed_tokens) += event.tokens;
  ++state_->tally_at(at).preemptions;
}

void Recorder::finished(RequestId id, Nanos at, FinishReason reason, const std::string& error,
                        FailureCause cause) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->live.find(id);
  if (found == state_->live.end()) return;
  RequestRecord record = std::move(found->second.record);
  state_->live.erase(found);
  record.finished = at;
  record.finish = reason;
  record.error = error;

  SecondTally& tally = state_->tally_at(at);
  ++tally.finished;
  state_->observe_ended(record, tally);
  count_finish(reason, state_->totals);
  if (reason == FinishReason::error) ++state_->sources.failures[static_cast<std::size_t>(cause)];
  state_->statistics.add(record);
  push_bounded(state_->unwritten, record, kUnwrittenRequests);
  state_->ended.push(std::move(record));
}

void Recorder::step(StepRecord record, std::span<const StepEvent> events, int evicted_blocks) {
  const std::lock_guard lock(state_->mutex);
  record.first_event = state_->next_event;
  record.events = static_cast<std::uint16_t>(std::min<std::size_t>(events.size(), UINT16_MAX));
  for (const StepEvent& event : events.first(record.events)) {
    state_->events.push(event);
    ++state_->next_event;
  }
  state_->steps.push(record);
  ++state_->totals.steps;
  state_->count(Measure::step_tokens, record.prefill_tokens + record.decode_tokens);
  state_->totals.evicted_blocks += evicted_blocks;
  state_->tally_at(record.finished).prompt_tokens += record.prefill_tokens;
  state_->prompt_rate.add(record.finished, record.prefill_tokens);
}

void Recorder::setting_changed(const std::string& name, const std::string& from, const std::string& to,
                               ChangedBy by) {
  const std::lock_guard lock(state_->mutex);
  const Nanos steady = clock_.now(), now = state_->utc_of(steady, clock_);
  const std::int64_t second = (steady - state_->origin) / kSecond;
  push_bounded(state_->lap_starts, second + 1, kKeptChanges);
  state_->unwritten_changes.push_back({now, name, from, to, by});
  const bool first = state_->lap == 1 || begins_lap(state_->lap_utc, now);
  if (first) {
    ++state_->lap;
    state_->lap_utc = now;
  }
  state_->changes.push({{now, name, from, to, by}, state_->lap, first});
}

void Recorder::queue_sizes(int running, int waiting, int deferred) {
  const std::lock_guard lock(state_->mutex);
  state_->running = running;
  state_->waiting = waiting;
  state_->deferred = deferred;
}

RunRows Recorder::roll(const LedgerSnapshot& ledger, bool last) {
  const Nanos now = clock_.now() + (last ? kSecond : 0);
  const std::lock_guard lock(state_->mutex);
  State& state = *state_;
  state.advance_to(now);
  const std::int64_t oldest = state.open_second - static_cast<std::int64_t>(state.tallies.size()) + 1;
  RunRows rows;
  for (std::int64_t second = std::max(state.next_to_roll, oldest); second < state.open_second; ++second) {
    const SecondTally& tally = state.tallies[static_cast<std::size_t>(second - oldest)];
    const LatencySketches window = state.merged(second, kAveragingSeconds);
    SecondRecord record;
    record.utc = state.utc_of(state.origin + second * kSecond, clock_);
    record.ttft = percentiles_of(window.ttft);
    record.tpot = percentiles_of(window.tpot);
    record.itl = percentiles_of(window.itl);
    record.queue = percentiles_of(window.queue);
    record.output_tokens_per_s = static_cast<double>(tally.output_tokens);
    record.prompt_tokens_per_s = static_cast<double>(tally.prompt_tokens);
    record.running = state.running;
    record.waiting = state.waiting;
    record.preemptions = tally.preemptions;
    record.finished = tally.finished;
    record.kv_used = ledger.kv_used;
    record.kv_cached = ledger.kv_cached;
    record.kv_quarantined = ledger.kv_quarantined;
    record.kv_free = ledger.kv_free;
    record.accounted = ledger.accounted();
    record.measured = ledger.measured;
    record.prefix_query_tokens = tally.prefix_query_tokens;
    record.prefix_hit_tokens = tally.prefix_hit_tokens;
    state.history.push(record);
    rows.seconds.push_back(record);
    rows.itl.merge(tally.latency.itl);
  }
  state.itl.merge(rows.itl);
  state.next_to_roll = state.open_second;
  // Older tallies are in no window any more.
  while (state.tallies.size() > kSnapshotSeconds) state.tallies.pop_front();
  rows.requests.assign(std::make_move_iterator(state.unwritten.begin()),
                       std::make_move_iterator(state.unwritten.end()));
  state.unwritten.clear();
  rows.changes = std::exchange(state.unwritten_changes, {});
  rows.steps = state.take_new_steps();
  return rows;
}

namespace {

constexpr Nanos kIdleWindow = 2 * kNanosPerSecond;

IdleShare idle_since(const Ring<StepRecord>& steps, Nanos since) {
  IdleShare share;
  for (std::size_t i = steps.size(); i > 0 && steps[i - 1].started >= since; --i) share.add(steps[i - 1]);
  return share;
}

}  // namespace

Snapshot Recorder::snapshot(const LedgerSnapshot& ledger) const {
  Snapshot result;
  result.steady = clock_.now();
  result.ledger = ledger;

  const std::lock_guard lock(state_->mutex);
  State& state = *state_;
  state.advance_to(result.steady);
  result.utc = state.utc_of(result.steady, clock_);
  result.started_utc = state.origin_utc;
  result.running = state.running;
  result.waiting = state.waiting;
  result.deferred = state.deferred;
  result.totals = state.totals;
  result.output_tokens_per_s = state.output_rate.per_second(result.steady);
  result.prompt_tokens_per_s = state.prompt_rate.per_second(result.steady);
  result.idle_percent = idle_since(state.steps, result.steady - kIdleWindow).percent();
  result.sketches = state.merged(state.open_second, kSnapshotSeconds);
  result.ttft = percentiles_of(result.sketches.ttft);
  result.tpot = percentiles_of(result.sketches.tpot);
  result.itl = percentiles_of(result.sketches.itl);
  result.queue = percentiles_of(result.sketches.queue);
  result.history = state.history.newest(kHistorySeconds);
  result.steps = state.steps.newest(kSnapshotSteps);
  state.show_changes(result);
  result.requests = state.newest_requests(kSnapshotRequests);
  for (std::size_t i = 0; i < state.lookups.size(); ++i) {
    result.recent_query_tokens += state.lookups[i].query_tokens;
    result.recent_hit_tokens += state.lookups[i].hit_tokens;
  }
  return result;
}

RequestRecord Recorder::record_of(RequestId id) const {
  const std::lock_guard lock(state_->mutex);
  if (const auto found = state_->live.find(id); found != state_->live.end()) return found->second.record;
  const Ring<RequestRecord>& ended = state_->ended;
  for (std::size_t i = ended.size(); i > 0; --i) {
    if (ended[i - 1].id == id) return ended[i - 1];
  }
  return {};
}

std::vector<StepRecord> Recorder::last_steps(std::size_t n) const {
  const std::lock_guard lock(state_->mutex);
  return state_->steps.newest(n);
}

std::vector<StepEvent> Recorder::events_of(const StepRecord& step) const {
  const std::lock_guard lock(state_->mutex);
  const std::uint32_t back = state_->next_event - step.first_event;  // wraps as the numbers do
  std::vector<StepEvent> result;
  for (std::uint32_t i = 0; i < step.events; ++i) {
    const std::uint32_t from_end = back - i;
    if (from_end > state_->events.size()) continue;
    result.push_back(state_->events[state_->events.size() - from_end]);
  }
  return result;
}

std::vector<RequestRecord> Recorder::last_requests(std::size_t n) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<RequestRecord> result = state_->newest_requests(n);
  if (result.size() > n) result.resize(n);
  return result;
}

EngineTotals Recorder::totals() const {
  const std::lock_guard lock(state_->mutex);
  return state_->totals;
}

Recorder::Sources Recorder::sources() const {
  const std::lock_guard lock(state_->mutex);
  return state_->sources;
}

RunSummary Recorder::summary() const {
  const auto [statistics, totals, itl] = [this] {
    const std::lock_guard lock(state_->mutex);
    return std::tuple(state_->statistics, state_->totals, state_->itl);
  }();
  RunSummary summary = statistics.summary();
  summary.metrics["itl_ms"] = itl.summary();
  summary.totals = totals;
  summary.end_utc = clock_.utc_now();
  return summary;
}

Recorder::Histogram Recorder::histogram(Measure measure) const {
  const std::lock_guard lock(state_->mutex);
  const HistogramCounts& counts = state_->histograms[index_of(measure)];
  Histogram result{{}, counts.count, counts.sum};
  std::int64_t below = 0;
  for (const std::int64_t count : counts.per_edge) result.cumulative.push_back(below += count);
  return result;
}

}  // namespace pitwall
