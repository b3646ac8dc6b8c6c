// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/instant_backend.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace pitwall::test {

namespace {

constexpr std::size_t kSteps = 4;  // kept: two are in flight at most

class InstantBackend final : public Backend {
 public:
  InstantBackend(Nanos interval, std::function<TokenId(Nanos at)> publish)
      : interval_(interval), publish_(std::move(publish)) {}

  DeviceInfo device() const override { return {.name = "none", .kind = "cpu", .memory = 0, .threads = 1}; }
  Ledger& ledger() override { return ledger_; }

  Result<Weight> upload(const TensorView&) override { return Weight{0}; }
  Result<Weight> upload_vector(const TensorView&, float) override { return Weight{0}; }
  Result<Experts> group_experts(const TensorView&, std::span<const ExpertWeights>, const MoeSpec&,
                                Activation) override {
    return Experts{0};
  }
  Result<RopeTable> upload_rope(const RopeSpec&, int) override { return RopeTable{0}; }
  Result<Tensor> allocate(Category, RowSet, int, Precision) override { return Tensor{0}; }
  Result<void> prepare_steps(const StepLimits&) override { return {}; }
  Result<void> allocate_kv(const KvLayout& layout, int blocks) override {
    return ledger_.take(Category::kv, layout.bytes_per_block() * blocks, "KV that nobody writes");
  }
  Result<void> allocate_swap(int) override { return {}; }

  void move_blocks(const StepPlan&) override {}
  void stage(const StepPlan& plan) override {
    StepResult result;
    result.number = plan.number;
    for (const SequenceSlice& slice : plan.slices) {
      if (slice.samples) result.sampled.push_back({slice.request, slice.slot, 0, 0});
    }
    const std::lock_guard lock(mutex_);
    results_[plan.number % kSteps] = std::move(result);
  }
  void record(int, std::function<void()>) override {}
  bool recorded(int) const override { return true; }
  void replay(int) override {}
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

  std::vector<KvSaturation> kv_saturation() const override { return {}; }
  void embed(Weight, float, Tensor) override {}
  void linear(Tensor, const NormPrologue&, std::span<const LinearOutput>) override {}
  void gated_linear(Tensor, const NormPrologue&, const GatedWeights&, Tensor) override {}
  void moe(Tensor, const NormPrologue&, Experts, float, Tensor, Tensor) override {}
  void norm_add(Tensor, const NormPrologue&, float, Tensor) override {}
  void rope_append(const RopeAppendOp&, const AttentionSpec&, Tensor, Tensor, Tensor) override {}
  void attention(const AttentionOp&, Tensor, Tensor) override {}
  void gather_logit_rows(Tensor, Tensor) override {}
  void sample(Tensor) override {}

 private:
  const Nanos interval_;
  const std::function<TokenId(Nanos at)> publish_;
  const RealClock clock_;
  Ledger ledger_;
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
