// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/simulated_backend.h"

#include <condition_variable>
#include <mutex>

#include "engine/execute/sim_executor.h"
#include "tests/support/modelless_backend.h"

namespace pitwall::test {

namespace {

class SimulatedBackend final : public ModellessBackend {
 public:
  SimulatedBackend(const StepTimeModel& model, TokenId first, TokenId count)
      : first_(first), count_(count), executor_(model, clock_) {}

  void stage(const StepPlan& plan) override {
    const std::lock_guard lock(mutex_);
    executor_.launch(plan);
    launched_ = plan.number;
  }
  void publish(std::uint64_t) override { staged_.notify_all(); }
  StepResult wait(std::uint64_t step) override {
    std::unique_lock lock(mutex_);
    staged_.wait(lock, [&] { return launched_ >= step; });
    StepResult result = executor_.collect();
    for (SampledToken& sampled : result.sampled) sampled.token = first_ + sampled.token % count_;
    return result;
  }

 private:
  const TokenId first_, count_;
  const RealClock clock_;
  std::mutex mutex_;  // of what follows
  std::condition_variable staged_;
  SimExecutor executor_;
  std::uint64_t launched_ = 0;
};

}  // namespace

std::unique_ptr<Backend> make_simulated_backend(const StepTimeModel& model, TokenId first, TokenId count) {
  return std::make_unique<SimulatedBackend>(model, first, count);
}

}  // namespace pitwall::test
