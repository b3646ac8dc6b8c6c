// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/executor.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/base/threads.h"

namespace pitwall {

int bucket_of(const StepPlan& plan, int max_slots) {
  if (plan.shape.prefill_tokens > 0) return 0;
  const int rows = static_cast<int>(plan.tokens.size());
  if (rows > 8) return std::min((rows + 7) / 8 * 8, std::max(max_slots, rows));
  int bucket = 1;
  while (bucket < rows) bucket *= 2;
  return bucket;
}

/// The mutex guards the two queues; the back end belongs to the thread.
struct DeviceExecutor::State {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Transformer> transformer;
  const Clock* clock = nullptr;
  int max_slots = 0;
  std::mutex mutex;
  std::condition_variable launched, collected;
  std::deque<StepPlan> plans;
  std::deque<StepResult> results;
  bool stopping = false;
  std::thread thread;

  void run();
  StepResult execute(const StepPlan& plan);
};

DeviceExecutor::DeviceExecutor(std::unique_ptr<Backend> backend, std::unique_ptr<Transformer> transformer,
                               int max_slots, const Clock& clock)
    : state_(std::make_unique<State>()) {
  state_->backend = std::move(backend);
  state_->transformer = std::move(transformer);
  state_->clock = &clock;
  state_->max_slots = max_slots;
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

DeviceExecutor::~DeviceExecutor() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->launched.notify_one();
  state_->thread.join();
}

Backend& DeviceExecutor::backend() {
  return *state_->backend;
}

void DeviceExecutor::launch(StepPlan plan) {
  {
    std::lock_guard lock(state_->mutex);
    assert(state_->plans.size() < 2);
    state_->plans.push_back(std::move(plan));
  }
  state_->launched.notify_one();
}

StepResult DeviceExecutor::collect() {
  std::unique_lock lock(state_->mutex);
  state_->collected.wait(lock, [this] { return !state_->results.empty(); });
  StepResult result = std::move(state_->results.front());
  state_->results.pop_front();
  return result;
}

void DeviceExecutor::State::run() {
  set_thread_name("pw-executor");
  for (;;) {
    StepPlan plan;
    {
      std::unique_lock lock(mutex);
      launched.wait(lock, [this] { return stopping || !plans.empty(); });
      if (plans.empty()) return;
      plan = std::move(plans.front());
      plans.pop_front();
    }
    StepResult result = execute(plan);
    {
      std::lock_guard lock(mutex);
      results.push_back(std::move(result));
    }
    collected.notify_one();
  }
}

StepResult DeviceExecutor::State::execute(const StepPlan& plan) {
  const Nanos started = clock->now();
  const int bucket = bucket_of(plan, max_slots);
  if (!backend->recorded(bucket)) backend->record(bucket, [this] { transformer->forward(); });
  Nanos swapping = 0;
  if (!plan.swaps_out.empty() || !plan.swaps_in.empty() || !plan.copies.empty()) {
    backend->move_blocks(plan);
    if (!plan.swaps_out.empty() || !plan.swaps_in.empty()) swapping = clock->now() - started;
  }
  backend->stage(plan);
  backend->replay(bucket);
  backend->publish(plan.number);
  StepResult result = backend->wait(plan.number);
  result.started = started;  // the engine's clock, so that records compare
  result.finished = clock->now();
  result.swapping = swapping;
  return result;
}

}  // namespace pitwall
