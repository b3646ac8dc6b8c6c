// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/schedule/measured_step_time.h"

#include <algorithm>

namespace pitwall {

namespace {

constexpr int kEnough = 16;         // steps
constexpr double kKeep = 0.999;     // of the past's weight at each step
constexpr double kSwapKeep = 0.75;  // links are steady; a few steps smooth them
constexpr int kSweeps = 8;
constexpr double kQuantile = 0.995, kSpreadStep = 0.04, kMostSpread = 2;

}  // namespace

MeasuredStepTime::Terms MeasuredStepTime::terms(const StepShape& shape) {
  const auto rows_above = [&](std::int32_t bend) {
    return static_cast<double>(std::max(0, shape.rows() - bend));
  };
  return {1.0,
          static_cast<double>(shape.rows()),
          static_cast<double>(shape.decode_context),
          static_cast<double>(shape.prefill_context),
          static_cast<double>(shape.prefill_pairs),
          static_cast<double>(shape.logit_rows),
          rows_above(64),
          rows_above(128),
          rows_above(256)};
}

void MeasuredStepTime::observe(const StepShape& shape, Nanos duration, Nanos swapping) {
  const std::lock_guard lock(mutex_);
  if (shape.swapped_blocks > 0 && swapping > 0) {
    const double one = static_cast<double>(swapping) / static_cast<double>(shape.swapped_blocks);
    swap_ns_ = swap_ns_ > 0 ? kSwapKeep * swap_ns_ + (1 - kSwapKeep) * one : one;
  }
  if (duration <= 0) return;
  if (observed_ >= kEnough) {
    // Stochastic approximation of a quantile (Robbins and Monro 1951): up and down balance where one in 200
    // lies above.
    const bool above = static_cast<double>(duration) > spread_ * static_cast<double>(predicted(shape));
    spread_ = std::clamp(spread_ + kSpreadStep * (above ? kQuantile : kQuantile - 1), 1.0, kMostSpread);
  }
  // Divided by the duration the target is 1, and squares are of relative errors.
  Terms x = terms(shape);
  for (double& term : x) term /= static_cast<double>(duration);
  for (std::size_t i = 0; i < kTerms; ++i) {
    moments_[i] = kKeep * moments_[i] + x[i];
    for (std::size_t j = 0; j < kTerms; ++j) products_[i][j] = kKeep * products_[i][j] + x[i] * x[j];
  }
  ++observed_;
  solve();
}

/// Coordinate descent on the normal equations, from the last solution: each coefficient in turn takes its
/// best value, not below zero.
void MeasuredStepTime::solve() {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < kTerms; ++i) {
      if (products_[i][i] <= 0) continue;
      double rest = moments_[i];
      for (std::size_t j = 0; j < kTerms; ++j) {
        if (j != i) rest -= products_[i][j] * coefficients_[j];
      }
      coefficients_[i] = std::max(0.0, rest / products_[i][i]);
    }
  }
}

Nanos MeasuredStepTime::predict(const StepShape& shape) const {
  const std::lock_guard lock(mutex_);
  return predicted(shape);
}

Nanos MeasuredStepTime::predicted(const StepShape& shape) const {
  if (observed_ < kEnough) return prior_ ? prior_->predict(shape) : 0;
  const Terms x = terms(shape);
  double duration = swap_ns_ * static_cast<double>(shape.swapped_blocks);
  for (std::size_t i = 0; i < kTerms; ++i) duration += coefficients_[i] * x[i];
  return static_cast<Nanos>(duration);
}

double MeasuredStepTime::spread() const {
  const std::lock_guard lock(mutex_);
  return spread_;
}

double MeasuredStepTime::swap_ns() const {
  const std::lock_guard lock(mutex_);
  return swap_ns_;
}

}  // namespace pitwall
