// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/instant_backend.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/support/modelless_backend.h"

namespace pitwall::test {

namespace {

constexpr std::size_t kSteps = 4;  // kept: two are in flight at most

class InstantBackend final : public ModellessBackend {
 public:
  InstantBackend(Nanos interval, std::function<TokenId(Nanos at)> publish)
      : interval_(interval), publish_(std::move(publish)) {}

  void stage(const StepPlan& plan) override {
    StepResult result;
    result.number = plan.number;
    for (const SequenceSlice& slice : plan.slices) {
      if (slice.samples) result.sampled.push_back({slice.request, slice.slot, 0, 0});
    }
    const std::lock_guard lock(mutex_);
    results_[plan.number % kSteps] = std::move(result);
  }
  void publish(std::uint64_t) override { staged_.notify_all(); }
  StepResult wait(std::uint64_t step) override {
    StepResult result;
    {
      std::unique_lock lock(mutex_);
      staged_.wait(lock, [&] { return results_[step % kSteps].number == step; });
      result = std::move(results_[step % kSteps]);
    }
    const Nanos ready = clock_.now();
    const Nanos due = last_end_ + interval_;
    if (due > ready) std::this_thread::sleep_for(std::chrono::nanoseconds(due - ready));
    last_end_ = std::max(due, ready);
    const TokenId token = publish_(clock_.now());
    for (SampledToken& sampled : result.sampled) sampled.token = token;
    return result;
  }

 private:
  const Nanos interval_;
  const std::function<TokenId(Nanos at)> publish_;
  const RealClock clock_;
  std::mutex mutex_;
  std::condition_variable staged_;
  std::array<StepResult, kSteps> results_;
  Nanos last_end_ = 0;  // by the collecting thread
};

}  // namespace

std::unique_ptr<Backend> make_instant_backend(Nanos interval, std::function<TokenId(Nanos at)> publish) {
  return std::make_unique<InstantBackend>(interval, std::move(publish));
}

}  // namespace pitwall::test
