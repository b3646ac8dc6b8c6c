// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "engine/bench/request_log.h"
#include "engine/execute/sim_executor.h"

namespace pitwall {

namespace {

constexpr Nanos kStart = kNanosPerSecond;  // of the trace: in records, 0 means that something did not happen

template <class Int>
Int clamped(std::int64_t value) {
  return static_cast<Int>(std::min<std::int64_t>(value, std::numeric_limits<Int>::max()));
}

/// Real time spent in the scheduler for one step.
class Stopwatch {
 public:
  explicit Stopwatch(Nanos& total) : total_(total), began_(clock_.now()) {}
  ~Stopwatch() { total_ += clock_.now() - began_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  RealClock clock_;
  Nanos& total_;
  Nanos began_;
};

KvCacheConfig pinned(KvCacheConfig config) {
  if (!config.hash_seed) config.hash_seed = 0;
  return config;
}

class Run {
 public:
  Run(const Trace& trace, const SimulationConfig& config, const StepTimeModel& model)
      : trace_(trace),
        config_(config),
        cache_(pinned(config.cache)),
        scheduler_(config.scheduler, cache_, &model),
        executor_(model, clock_),
        log_(trace.requests.size()) {
    clock_.advance_to(kStart);
  }

  Result<Simulation> result() {
    while (next_ < trace_.requests.size() || !scheduler_.idle()) {
      send_due();
      const bool launched = launch();
      const bool collects = scheduler_.in_flight() == 2 || (scheduler_.in_flight() > 0 && !launched);
      if (collects) {
        if (auto sound = collect(); !sound) return sound.error();
      } else if (!launched) {
        if (auto moves = wait(); !moves) return moves.error();
      }
    }
    simulation_.requests = log_.take_records();
    simulation_.itl_ms = log_.take_itl_ms();
    simulation_.cache = cache_.counts();
    simulation_.peak_live = log_.peak_live();
    simulation_.peak_tokens_in_a_second = log_.peak_tokens_in_a_second();
    return std::move(simulation_);
  }

 private:
  struct Flying {
    StepRecord record;
    Nanos scheduler_ns = 0;
  };

  Nanos next_arrival() const { return kStart + trace_.requests[next_].arrival; }
  bool client_is_full() const { return config_.max_concurrency && log_.live() >= *config_.max_concurrency; }

  void send_due() {
    while (next_ < trace_.requests.size() && next_arrival() <= clock_.now() && !client_is_full()) {
      Request request;
      request.id = RequestId{next_ + 1};
      request.prompt = prompt_of(trace_, next_);
      request.sampling.max_tokens = trace_.requests[next_].output_tokens;
      // Clients wait for a place from their arrival on, not from when the loop looks at them.
      request.arrival = std::max(next_arrival(), client_freed_);
      ++next_;
      log_.arrived(request);
      const RequestId id = request.id;
      const Nanos arrival = request.arrival;
      if (auto taken = scheduler_.add(std::move(request)); !taken)
        log_.finished({id, FinishReason::error, taken.error().text()}, arrival);
    }
  }

  bool launch() {
    Flying step;
    std::optional<StepPlan> plan;
    {
      const Stopwatch watch(step.scheduler_ns);
      plan = scheduler_.plan(clock_.now());
    }
    for (const PreemptionEvent& event : scheduler_.take_preempted()) log_.preempted(event, clock_.now());
    if (!plan) return false;
    step.record = record_of(*plan);
    executor_.launch(*std::move(plan));
    {
      const Stopwatch watch(step.scheduler_ns);
      scheduler_.launched();
    }
    in_flight_.push_back(step);
    for (const AdmissionEvent& event : scheduler_.take_admissions()) log_.admitted(event, clock_.now());
    simulation_.peak_used_blocks = std::max(simulation_.peak_used_blocks, cache_.counts().used);
    idle_rounds_ = 0;
    return true;
  }

  StepRecord record_of(const StepPlan& plan) const {
    StepRecord record;
    record.step = plan.number;
    record.launched = clock_.now();
    record.prefill_tokens = plan.shape.prefill_tokens;
    record.decode_tokens = plan.shape.decode_tokens;
    record.padding_tokens = plan.shape.padding_tokens;
    record.sequences = plan.shape.sequences;
    record.joined = clamped<std::int16_t>(static_cast<std::int64_t>(plan.joins.size()));
    record.evicted = clamped<std::int16_t>(plan.evicted);
    record.copied = clamped<std::int16_t>(static_cast<std::int64_t>(plan.copies.size()));
    record.swapped_out = clamped<std::int16_t>(static_cast<std::int64_t>(plan.swaps_out.size()));
    record.swapped_in = clamped<std::int16_t>(static_cast<std::int64_t>(plan.swaps_in.size()));
    record.predicted_ns = clamped<std::int32_t>(scheduler_.step_time().predict(plan.shape));
    record.decode_context = plan.shape.decode_context;
    record.prefill_pairs = plan.shape.prefill_pairs;
    return record;
  }

  Result<void> collect() {
    const StepResult result = executor_.collect();
    Flying step = in_flight_.front();
    in_flight_.pop_front();
    Committed committed;
    {
      const Stopwatch watch(step.scheduler_ns);
      committed = scheduler_.commit(result, clock_.now());
    }
    for (const TokenEvent& event : committed.tokens) log_.token(event, clock_.now());
    for (const PreemptionEvent& event : committed.preempted) log_.preempted(event, clock_.now());
    for (const FinishEvent& event : committed.finished) finish(event);
    for (const FinishEvent& event : scheduler_.take_finished()) finish(event);
    record(step, result, committed);
    return config_.strict_checks ? scheduler_.check() : Result<void>();
  }

  void finish(const FinishEvent& event) {
    if (client_is_full()) client_freed_ = clock_.now();
    log_.finished(event, clock_.now());
  }

  void record(Flying& step, const StepResult& result, const Committed& committed) {
    StepRecord& record = step.record;
    record.started = result.started;
    record.finished = result.finished;
    record.swap_ns = clamped<std::int32_t>(result.swapping);
    if (last_finished_) record.gap_ns = clamped<std::int32_t>(record.started - *last_finished_);
    last_finished_ = record.finished;
    record.left = clamped<std::int16_t>(static_cast<std::int64_t>(committed.finished.size()));
    record.preempted = clamped<std::int16_t>(static_cast<std::int64_t>(committed.preempted.size()));
    record.waiting = scheduler_.waiting();
    const KvCacheCounts counts = cache_.counts();
    record.kv_used_blocks = counts.used;
    record.kv_cached_blocks = counts.cached;
    simulation_.steps.push_back(record);
    simulation_.scheduler_us.push_back(static_cast<double>(step.scheduler_ns) / 1000);
  }

  /// Nothing runs: time goes on to the next arrival.
  Result<void> wait() {
    last_finished_.reset();
    for (const FinishEvent& event : scheduler_.take_finished()) finish(event);
    if (scheduler_.idle()) {
      if (next_ < trace_.requests.size()) clock_.advance_to(next_arrival());
      return {};
    }
    // A plan that yields nothing may have preempted someone, so that the next one can run.
    constexpr int kPatience = 100;
    if (++idle_rounds_ <= kPatience) return {};
    return Error{Error::Kind::internal,
                 fmt::format("The scheduler has {} waiting and {} running requests and plans nothing",
                             scheduler_.waiting(), scheduler_.running()),
                 "", "Report this with the trace and the settings", ""};
  }

  const Trace& trace_;
  const SimulationConfig& config_;
  VirtualClock clock_;
  KvCache cache_;
  Scheduler scheduler_;
  SimExecutor executor_;
  RequestLog log_;
  Simulation simulation_;
  std::size_t next_ = 0;  // of the trace, not sent yet
  std::deque<Flying> in_flight_;
  std::optional<Nanos> last_finished_;  // none after a time without work
  Nanos client_freed_ = 0;              // when a place at the full client became free, last
  int idle_rounds_ = 0;
};

}  // namespace

Result<Simulation> simulate(const Trace& trace, const SimulationConfig& config, const StepTimeModel& model) {
  if (auto sound = config.scheduler.check(); !sound) return sound.error();
  return Run(trace, config, model).result();
}

}  // namespace pitwall
