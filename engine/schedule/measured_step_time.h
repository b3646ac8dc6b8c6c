// SPDX-License-Identifier: GPL-3.0-or-later
// MeasuredStepTime: what a step takes, learnt from the steps that were run.
#pragma once
#include <array>
#include <cstddef>
#include <mutex>

#include "engine/step/step_time_model.h"

namespace pitwall {

/// duration = Σ coefficient · term over {1, rows, KV positions read by decodes, KV positions read by
/// prefills, query-key products of prefills, rows through the output layer, rows above 64, above 128, above
/// 256} + swapped blocks · time of one. The last three bend the line upwards: few rows are ruled by reading
/// the weights, many by multiplying with them. Least squares of the relative error, so that a step which
/// took far longer than such steps do hardly counts; coefficients are never negative; old steps fade (half
/// after about 700).
class MeasuredStepTime final : public StepTimeModel {
 public:
  explicit MeasuredStepTime(const StepTimeModel* prior) : prior_(prior) {}

  /// A committed step: `duration` without `swapping`.
  void observe(const StepShape& shape, Nanos duration, Nanos swapping);
  /// The prior's answer until 16 steps were observed; 0 without a prior.
  Nanos predict(const StepShape& shape) const override;
  /// What 199 of 200 steps stay within, as a multiple of what was predicted; 1 … 2. Begins with a quarter
  /// more and moves by at most 0.04 a step.
  double spread() const;
  /// Of one block between device and swap space; 0 = not measured yet.
  double swap_ns() const;

 private:
  static constexpr std::size_t kTerms = 9;
  using Terms = std::array<double, kTerms>;
  static Terms terms(const StepShape& shape);
  void solve();
  Nanos predicted(const StepShape& shape) const;  // with the lock held

  const StepTimeModel* prior_;
  mutable std::mutex mutex_;
  int observed_ = 0;
  double swap_ns_ = 0, spread_ = 1.25;
  Terms coefficients_{}, moments_{};
  std::array<Terms, kTerms> products_{};
};

}  // namespace pitwall
