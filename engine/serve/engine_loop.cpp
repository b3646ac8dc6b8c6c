// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/engine_loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
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

Error too_many(int max_waiting) {
  return {.kind = Error::Kind::busy,
          .what = "The queue is full: " + std::to_string(max_waiting) + " requests wait already",
          .cause = {},
          .action = "Try again later",
          .param = "max-waiting"};
}

}  // namespace

EngineLoop::EngineLoop(const EngineParts& parts, std::shared_ptr<const Tokenizer> tokenizer)
    : parts_(parts),
      scheduler_(parts.config, parts.cache),
      pump_(scheduler_, parts.cache, parts.executor, parts.recorder, parts.clock),
      max_num_seqs_(parts.config.max_num_seqs) {
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
                      .told = [&listeners = parts_.listeners] { listeners.tell(); },
                  });
  thread_ = std::thread([this] { run(); });
}

EngineLoop::~EngineLoop() {
  stop(0);
}

Result<void> EngineLoop::submit(Request request, const RequestRecord& record, std::vector<PromptPart> parts,
                                OutputSink sink, int max_waiting) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_deadline_ || ended_) return not_serving(failure_);
    if (queue_is_full(max_waiting)) return too_many(max_waiting);
    ++accepted_;
    parts_.recorder.arrived(record, std::move(parts));
    output_->begin(request.id, std::move(sink), request.sampling);
    commands_.emplace_back(std::move(request));
  }
  wake_.notify_one();
  return {};
}

/// Where nobody waits yet there is room up to max_num_seqs; where somebody does, no more can run than do.
bool EngineLoop::queue_is_full(int max_waiting) const {
  if (max_waiting == 0) return false;
  const int room = waiting_ > 0 ? running_.load() : max_num_seqs_.load();
  return accepted_ >= room + max_waiting;
}

void EngineLoop::cancel(RequestId id, std::string reason) {
  send(Finish{id, FinishReason::cancelled, std::move(reason)});
}

Result<void> EngineLoop::ask(Task task) {
  Question question{std::move(task), {}};
  std::future<Result<void>> answer = question.answer.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return not_serving(failure_);
    commands_.emplace_back(std::move(question));
  }
  wake_.notify_one();
  return answer.get();
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
    std::unique_lock lock(mutex_);
    if (!stop_deadline_) stop_deadline_ = std::chrono::steady_clock::now() + std::chrono::nanoseconds(grace);
    wake_.notify_one();
    left_.wait_until(lock, *stop_deadline_, [this] { return ended_; });
  }
  abandon();
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
  output_.reset();
}

void EngineLoop::abandon() {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    if (!stop_deadline_) stop_deadline_ = std::chrono::steady_clock::now();
    abandoned_ = true;
  }
  parts_.executor.abandon();
  wake_.notify_one();
}

std::optional<Error> EngineLoop::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void EngineLoop::run() {
  set_thread_name("pw-engine");
  while (take_commands()) {
    const bool launched = pump_.launch_next();
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
  {
    std::unique_lock lock(mutex_);
    if (!worked_ && scheduler_.in_flight() == 0) {
      if (scheduler_.idle()) pump_.rested();
      wake_.wait(lock, [this] {
        return !commands_.empty() || failure_ || abandoned_ || (stop_deadline_ && live_.empty());
      });
    }
    if (failure_ || abandoned_) return false;
    commands.swap(commands_);
    if (commands.empty() && stop_deadline_ && live_.empty() && scheduler_.in_flight() == 0) return false;
  }
  for (Command& command : commands) apply(command);
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
               .finished = {{id, FinishReason::error, ok.error().text(), FailureCause::refused}},
               .logits = {}});
    }
  } else if (const auto* finish = std::get_if<Finish>(&command)) {
    scheduler_.finish(finish->id, finish->reason, finish->error);
  } else if (const auto* progress = std::get_if<Acknowledge>(&command)) {
    scheduler_.acknowledge(progress->id, progress->tokens);
  } else {
    auto& question = std::get<Question>(command);
    question.answer.set_value(question.task(scheduler_, parts_.cache));
    max_num_seqs_ = scheduler_.config().max_num_seqs;
  }
}

void EngineLoop::collect_oldest() {
  Committed committed = pump_.collect_oldest();
  pass_on({.at = parts_.clock.now(),
           .tokens = std::move(committed.tokens),
           .finished = std::move(committed.finished),
           .logits = std::move(committed.logits),
           .prompt_logprobs = std::move(committed.prompt_logprobs)});
  if (!kAlwaysCheck && !parts_.strict_checks) return;
  if (auto sound = scheduler_.check(); !sound) fail(sound.error());
}

void EngineLoop::pass_on(OutputBatch batch) {
  for (const FinishEvent& end : batch.finished) accepted_ -= static_cast<int>(live_.erase(end.request));
  output_->push(std::move(batch));
}

void EngineLoop::publish() {
  running_ = scheduler_.running();
  waiting_ = scheduler_.waiting();
  parts_.recorder.queue_sizes(running_, waiting_, scheduler_.deferred());
  const KvCacheCounts counts = parts_.cache.counts();
  parts_.ledger.set_kv_split(counts.used * parts_.bytes_per_block, counts.cached * parts_.bytes_per_block,
                             counts.quarantined * parts_.bytes_per_block);
}

/// Scheduling state can no longer be trusted: nothing more is planned.
void EngineLoop::fail(Error error) {
  spdlog::critical("the engine ends: {}", error.text());
  const std::lock_guard lock(mutex_);
  failure_ = std::move(error);
}

/// The thread ends: whoever still waits hears so, and nobody can come after.
void EngineLoop::leave() {
  pump_.drain();
  OutputBatch last{.at = parts_.clock.now(), .tokens = {}, .finished = {}, .logits = {}};
  const std::lock_guard lock(mutex_);
  ended_ = true;
  const std::string text = failure_ ? failure_->text() : "The engine was stopped";
  const FinishReason reason = failure_ ? FinishReason::error : FinishReason::cancelled;
  for (Command& command : commands_) {
    if (const auto* request = std::get_if<Request>(&command)) live_.insert(request->id);
    if (auto* question = std::get_if<Question>(&command)) question->answer.set_value(not_serving(failure_));
  }
  commands_.clear();
  const FailureCause cause = failure_ ? FailureCause::engine : FailureCause::none;
  for (const RequestId id : live_) last.finished.push_back({id, reason, text, cause});
  live_.clear();
  left_.notify_all();
  output_->push(std::move(last));
  parts_.recorder.queue_sizes(0, 0);
  parts_.ledger.set_kv_split(0, 0, 0);
}

}  // namespace pitwall
