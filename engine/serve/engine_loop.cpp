// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/engine_loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "engine/base/threads.h"

namespace pitwall {

namespace {

#ifdef PITWALL_CHECKS
constexpr bool kAlwaysCheck = true;
#else
constexpr bool kAlwaysCheck = false;
#endif

Error not_serving(const std::optional<Error>& failure) {
  return {.kind = Error::Kind::busy,
          .what = "The engine takes no more requests",
          .cause = failure ? failure->text() : "It is stopping",
          .action = {},
          .param = {}};
}

std::int32_t nanos32(Nanos duration) {
  return static_cast<std::int32_t>(std::clamp<Nanos>(duration, 0, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

EngineLoop::EngineLoop(const EngineParts& parts, std::shared_ptr<const Tokenizer> tokenizer)
    : parts_(parts), scheduler_(parts.config, parts.pool) {
  output_.emplace(parts_.recorder, std::move(tokenizer),
                  OutputThread::Feedback{
                      .handled =
                          [this](RequestId id, int tokens) {
                            send(Acknowledge{id, tokens});
                          },
                      .stopped =
                          [this](RequestId id) {
                            send(Finish{id, FinishReason::stop, {}});
                          },
                  });
  thread_ = std::thread([this] { run(); });
}

EngineLoop::~EngineLoop() {
  stop(0);
}

Result<void> EngineLoop::submit(Request request, const RequestRecord& record, OutputSink sink) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_deadline_ || ended_) return not_serving(failure_);
    parts_.recorder.arrived(record);
    output_->begin(request.id, std::move(sink), request.sampling.stop);
    commands_.emplace_back(std::move(request));
  }
  wake_.notify_one();
  return {};
}

void EngineLoop::cancel(RequestId id, std::string reason) {
  send(Finish{id, FinishReason::cancelled, std::move(reason)});
}

void EngineLoop::send(Command command) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    commands_.push_back(std::move(command));
  }
  wake_.notify_one();
}

void EngineLoop::stop(Nanos grace) {
  {
    const std::lock_guard lock(mutex_);
    if (!stop_deadline_) stop_deadline_ = std::chrono::steady_clock::now() + std::chrono::nanoseconds(grace);
  }
  wake_.notify_one();
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
  output_.reset();
}

std::optional<Error> EngineLoop::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void EngineLoop::run() {
  set_thread_name("pw-engine");
  while (take_commands()) {
    const bool launched = launch_next();
    const bool collects = scheduler_.in_flight() == 2 || (scheduler_.in_flight() > 0 && !launched);
    if (collects) collect_oldest();
    worked_ = launched || collects;
    publish();
  }
  leave();
}

/// Waits while there is nothing to do. False when the thread shall end.
bool EngineLoop::take_commands() {
  std::vector<Command> commands;
  bool cancels = false;
  {
    std::unique_lock lock(mutex_);
    const auto due = [this] {
      return stop_deadline_ && !live_.empty() && std::chrono::steady_clock::now() >= *stop_deadline_;
    };
    const auto stirs = [&] {
      return !commands_.empty() || failure_ || due() || (stop_deadline_ && live_.empty());
    };
    if (!worked_ && scheduler_.in_flight() == 0) {
      if (scheduler_.idle()) last_finished_ = 0;
      while (!stirs()) {
        if (stop_deadline_) {
          wake_.wait_until(lock, *stop_deadline_);
        } else {
          wake_.wait(lock);
        }
      }
    }
    if (failure_) return false;
    cancels = due();
    commands.swap(commands_);
    if (commands.empty() && stop_deadline_ && live_.empty() && scheduler_.in_flight() == 0) return false;
  }
  for (Command& command : commands) apply(command);
  if (cancels) cancel_all();
  pass_on({.at = parts_.clock.now(), .tokens = {}, .finished = scheduler_.take_finished(), .logits = {}});
  return true;
}

void EngineLoop::apply(Command& command) {
  if (auto* request = std::get_if<Request>(&command)) {
    const RequestId id = request->id;
    live_.insert(id);
    if (auto ok = scheduler_.add(std::move(*request)); !ok) {
      pass_on({.at = parts_.clock.now(),
               .tokens = {},
               .finished = {{id, FinishReason::error, ok.error().text()}},
               .logits = {}});
    }
  } else if (const auto* finish = std::get_if<Finish>(&command)) {
    scheduler_.finish(finish->id, finish->reason, finish->error);
  } else {
    const auto& progress = std::get<Acknowledge>(command);
    scheduler_.acknowledge(progress.id, progress.tokens);
  }
}

void EngineLoop::cancel_all() {
  for (const RequestId id : live_) scheduler_.finish(id, FinishReason::cancelled, "The engine was stopped");
}

bool EngineLoop::launch_next() {
  const Nanos began = parts_.clock.now();
  std::optional<StepPlan> plan = scheduler_.plan(began);
  if (!plan) return false;
  StepRecord record;
  record.step = plan->number;
  record.prefill_tokens = plan->prefill_tokens;
  record.decode_tokens = plan->decode_tokens;
  record.sequences = static_cast<std::int32_t>(plan->slices.size());
  record.joined = static_cast<std::int16_t>(plan->joins.size());
  record.launched = parts_.clock.now();
  record.plan_ns = nanos32(record.launched - began);
  parts_.executor.launch(*std::move(plan));
  scheduler_.launched();
  in_flight_.push_back(record);
  for (const RequestId id : scheduler_.take_scheduled()) parts_.recorder.scheduled(id, record.launched);
  return true;
}

void EngineLoop::collect_oldest() {
  const StepResult result = parts_.executor.collect();
  StepRecord record = in_flight_.front();
  in_flight_.pop_front();
  const Nanos began = parts_.clock.now();
  Committed committed = scheduler_.commit(result, began);
  record.commit_ns = nanos32(parts_.clock.now() - began);
  record.started = result.started;
  record.finished = result.finished;
  if (result.error) spdlog::error("step {} failed: {}", result.number, result.error->text());
  record.left = static_cast<std::int16_t>(committed.finished.size());
  record.preempted = static_cast<std::int16_t>(committed.preempted.size());
  record_step(record);
  for (const RequestId id : committed.preempted) parts_.recorder.preempted(id);
  pass_on({.at = began,
           .tokens = std::move(committed.tokens),
           .finished = std::move(committed.finished),
           .logits = std::move(committed.logits)});
  if (!kAlwaysCheck && !parts_.strict_checks) return;
  if (auto sound = scheduler_.check(); !sound) fail(sound.error());
}

void EngineLoop::record_step(StepRecord record) {
  // Work was there since the step was launched, or since the one before it ended, whichever is later.
  if (last_finished_ > 0) record.gap_ns = nanos32(record.started - last_finished_);
  last_finished_ = record.finished;
  record.waiting = scheduler_.waiting();
  record.kv_used_blocks = parts_.pool.used_count();
  parts_.recorder.step(record);
}

void EngineLoop::pass_on(OutputBatch batch) {
  for (const FinishEvent& end : batch.finished) live_.erase(end.request);
  output_->push(std::move(batch));
}

void EngineLoop::publish() {
  parts_.recorder.queue_sizes(scheduler_.running(), scheduler_.waiting());
  parts_.ledger.set_kv_split(parts_.pool.used_count() * parts_.bytes_per_block, 0,
                             parts_.pool.quarantined_count() * parts_.bytes_per_block);
}

/// Scheduling state can no longer be trusted: nothing more is planned.
void EngineLoop::fail(Error error) {
  spdlog::critical("the engine ends: {}", error.text());
  const std::lock_guard lock(mutex_);
  failure_ = std::move(error);
}

/// The thread ends: whoever still waits hears so, and nobody can come after.
void EngineLoop::leave() {
  for (std::size_t i = 0; i < in_flight_.size(); ++i) static_cast<void>(parts_.executor.collect());
  OutputBatch last{.at = parts_.clock.now(), .tokens = {}, .finished = {}, .logits = {}};
  const std::lock_guard lock(mutex_);
  ended_ = true;
  const std::string text = failure_ ? failure_->text() : "The engine was stopped";
  const FinishReason reason = failure_ ? FinishReason::error : FinishReason::cancelled;
  for (const Command& command : commands_) {
    if (const auto* request = std::get_if<Request>(&command)) live_.insert(request->id);
  }
  commands_.clear();
  for (const RequestId id : live_) last.finished.push_back({id, reason, text});
  live_.clear();
  output_->push(std::move(last));
  parts_.recorder.queue_sizes(0, 0);
  parts_.ledger.set_kv_split(0, 0, 0);
}

}  // namespace pitwall
