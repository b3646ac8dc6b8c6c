// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "engine/bench/dispatcher.h"
#include "engine/execute/sim_executor.h"
#include "engine/serve/step_pump.h"

namespace pitwall {

namespace {

constexpr Nanos kStart = kNanosPerSecond;  // of the trace: in records, 0 means that something did not happen

KvCacheConfig pinned(KvCacheConfig config) {
  if (!config.hash_seed) config.hash_seed = 0;
  return config;
}

/// Adds the real time of a scope.
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

class TracePlay {
 public:
  TracePlay(const Trace& trace, const SimulationConfig& config, const StepTimeModel& model)
      : trace_(trace),
        config_(config),
        cache_(pinned(config.cache)),
        scheduler_(config.scheduler, cache_, &model),
        executor_(model, clock_),
        recorder_(clock_),
        pump_(scheduler_, cache_, executor_, recorder_, clock_),
        dispatcher_(trace, config.max_concurrency, kStart),
        last_token_(trace.requests.size()) {
    clock_.advance_to(kStart);
    simulation_.requests.resize(trace.requests.size());
  }

  Result<Simulation> result() {
    while (!dispatcher_.all_sent() || !scheduler_.idle()) {
      if (config_.cancel != nullptr && *config_.cancel)
        return Error{Error::Kind::cancelled, "The simulation was cancelled", "", "", ""};
      send_due();
      const bool launched = launch();
      if (scheduler_.in_flight() == 2 || (scheduler_.in_flight() > 0 && !launched)) {
        collect();
        if (config_.strict_checks) {
          if (auto sound = scheduler_.check(); !sound) return sound.error();
        }
      } else if (!launched) {
        if (auto moves = wait(); !moves) return moves.error();
      }
    }
    roll(true);
    simulation_.cache = cache_.counts();
    return std::move(simulation_);
  }

 private:
  void send_due() {
    while (const auto sending = dispatcher_.next(clock_.now())) {
      Request request;
      request.id = RequestId{sending->index + 1};
      request.prompt = prompt_of(trace_, sending->index);
      request.sampling.max_tokens = trace_.requests[sending->index].output_tokens;
      // Clients send when they may, not when the loop looks at them.
      request.arrival = sending->ready;
      send(std::move(request));
    }
  }

  void send(Request request) {
    RequestRecord record;
    record.id = request.id;
    record.arrival = request.arrival;
    record.prompt_tokens = static_cast<std::int32_t>(request.prompt.size());
    recorder_.arrived(record);
    simulation_.peak_live = std::max(simulation_.peak_live, dispatcher_.live());
    if (auto taken = scheduler_.add(std::move(request)); !taken)
      finish({record.id, FinishReason::error, taken.error().text(), FailureCause::refused}, record.arrival);
  }

  bool launch() {
    Nanos spent = 0;
    bool launched = false;
    {
      const Stopwatch watch(spent);
      launched = pump_.launch_next();
    }
    if (!launched) return false;
    in_flight_ns_.push_back(spent);
    simulation_.peak_used_blocks = std::max(simulation_.peak_used_blocks, cache_.counts().used);
    idle_rounds_ = 0;
    return true;
  }

  void collect() {
    Nanos spent = in_flight_ns_.front();
    in_flight_ns_.pop_front();
    Committed committed;
    {
      const Stopwatch watch(spent);
      committed = pump_.collect_oldest();
    }
    simulation_.scheduler_us.push_back(static_cast<double>(spent) / 1000);
    simulation_.steps.push_back(recorder_.last_steps(1).front());
    for (const TokenEvent& event : committed.tokens) take(event);
    for (const FinishEvent& event : committed.finished) finish(event, clock_.now());
    for (const FinishEvent& event : scheduler_.take_finished()) finish(event, clock_.now());
    roll();
  }

  void take(const TokenEvent& event) {
    const Nanos now = clock_.now();
    recorder_.token(event.request, now);
    Nanos& last = last_token_[event.request.value - 1];
    if (last > 0)
      simulation_.itl_ms.push_back(static_cast<double>(now - last) / static_cast<double>(kNanosPerMs));
    last = now;
    if (now / kNanosPerSecond != second_) tokens_in_second_ = 0;
    second_ = now / kNanosPerSecond;
    simulation_.peak_tokens_in_a_second = std::max(simulation_.peak_tokens_in_a_second, ++tokens_in_second_);
  }

  void finish(const FinishEvent& event, Nanos at) {
    dispatcher_.ended(event.request.value - 1, at);
    recorder_.finished(event.request, at, event.reason, event.error, event.cause);
    simulation_.requests[event.request.value - 1] = recorder_.record_of(event.request);
  }

  /// As a recording engine does it: once a second, of virtual time.
  void roll(bool last = false) {
    const std::int64_t second = clock_.now() / kNanosPerSecond;
    if (second == rolled_second_ && !last) return;
    rolled_second_ = second;
    const RunRows rows = recorder_.roll({}, last);
    simulation_.seconds.insert(simulation_.seconds.end(), rows.seconds.begin(), rows.seconds.end());
  }

  /// Nothing runs: time goes on to the next arrival.
  Result<void> wait() {
    pump_.rested();
    for (const FinishEvent& event : scheduler_.take_finished()) finish(event, clock_.now());
    if (scheduler_.idle()) {
      if (const auto due = dispatcher_.next_due()) clock_.advance_to(*due);
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
  Recorder recorder_;
  StepPump pump_;
  Simulation simulation_;
  Dispatcher dispatcher_;
  std::vector<Nanos> last_token_;
  std::deque<Nanos> in_flight_ns_;  // real time spent on launched steps
  std::int64_t second_ = 0, tokens_in_second_ = 0, rolled_second_ = 0;
  int idle_rounds_ = 0;
};

}  // namespace

Result<Simulation> simulate(const Trace& trace, const SimulationConfig& config, const StepTimeModel& model) {
  if (auto sound = config.scheduler.check(); !sound) return sound.error();
  return TracePlay(trace, config, model).result();
}

}  // namespace pitwall
