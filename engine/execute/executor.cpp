// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/execute/executor.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/base/threads.h"

namespace pitwall {

namespace {

int bucket_of_rows(int rows, int max_slots) {
  if (rows > 8) return std::min((rows + 7) / 8 * 8, std::max(max_slots, rows));
  int bucket = 1;
  while (bucket < rows) bucket *= 2;
  return bucket;
}

}  // namespace

int bucket_of(const StepPlan& plan, int max_slots) {
  if (plan.shape.prefill_tokens > 0) return 0;
  return bucket_of_rows(static_cast<int>(plan.tokens.size()), max_slots);
}

std::vector<int> decode_buckets(int max_slots) {
  std::vector<int> buckets;
  for (int rows = max_slots; rows > 0; --rows) {
    const int bucket = bucket_of_rows(rows, max_slots);
    if (buckets.empty() || buckets.back() != bucket) buckets.push_back(bucket);
  }
  return buckets;
}

/// The mutex guards the queues; the back end belongs to the thread, but for wait(), which collect() calls.
struct DeviceExecutor::State {
  /// When the thread had a step in hand. A device that computes on its own has times of its own.
  struct Times {
    Nanos started = 0, submitted = 0, swapping = 0;
  };

  std::unique_ptr<Backend> backend;
  std::unique_ptr<Transformer> transformer;
  const Clock* clock = nullptr;
  int max_slots = 0;
  std::mutex mutex;
  std::condition_variable launched, submitted;
  std::deque<StepPlan> plans;
  std::deque<Times> times;  // of submitted steps that nobody has collected
  bool stopping = false;
  std::atomic<bool> abandoned{false};
  std::deque<std::uint64_t> in_flight;  // the collecting thread's
  std::thread thread;

  void run();
  Times submit(const StepPlan& plan);
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
  assert(state_->in_flight.size() < 2);
  state_->in_flight.push_back(plan.number);
  {
    std::lock_guard lock(state_->mutex);
    state_->plans.push_back(std::move(plan));
  }
  state_->launched.notify_one();
}

StepResult DeviceExecutor::collect() {
  StepResult result = state_->backend->wait(state_->in_flight.front());
  state_->in_flight.pop_front();
  std::unique_lock lock(state_->mutex);
  state_->submitted.wait(lock, [this] { return !state_->times.empty(); });
  const State::Times times = state_->times.front();
  state_->times.pop_front();
  if (result.finished == 0) {
    result.started = times.started;
    result.finished = times.submitted;
  }
  result.swapping = times.swapping;
  result.abandoned = state_->abandoned;
  return result;
}

void DeviceExecutor::abandon() {
  state_->abandoned = true;  // first: no result of what is left out counts
  state_->backend->abandon();
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
    const Times taken = submit(plan);
    {
      std::lock_guard lock(mutex);
      times.push_back(taken);
    }
    submitted.notify_one();
  }
}

DeviceExecutor::State::Times DeviceExecutor::State::submit(const StepPlan& plan) {
  Times taken;
  taken.started = clock->now();
  const int bucket = bucket_of(plan, max_slots);
  if (!backend->recorded(bucket)) backend->record(bucket, [this] { transformer->forward(); });
  if (!plan.swaps_out.empty() || !plan.swaps_in.empty() || !plan.copies.empty()) {
    backend->move_blocks(plan);
    if (!plan.swaps_out.empty() || !plan.swaps_in.empty()) taken.swapping = clock->now() - taken.started;
  }
  backend->stage(plan);
  backend->replay(bucket);
  backend->publish(plan.number);
  taken.submitted = clock->now();
  return taken;
}

}  // namespace pitwall
