// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pitwall {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A hair under the promised 1 %, so that rounding in the logarithm cannot break the promise.
constexpr double kRelativeError = 0.0099;
constexpr double kGamma = (1 + kRelativeError) / (1 - kRelativeError);
constexpr double kSmallest = 1e-9;

/// Bucket i holds (γ^(i−1), γ^i].
int bucket_of(double value) {
  static const double log_gamma = std::log(kGamma);
  return static_cast<int>(std::ceil(std::log(value) / log_gamma));
}

/// The value whose relative distance to both ends of the bucket is the same.
double bucket_value(int bucket) {
  return 2 * std::pow(kGamma, bucket) / (kGamma + 1);
}

}  // namespace

double quantile_sorted(std::span<const double> sorted, double q) {
  const double h = static_cast<double>(sorted.size() - 1) * std::clamp(q, 0.0, 1.0);
  const auto below = static_cast<std::size_t>(h);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (h - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Summary summarize(std::vector<double> values) {
  if (values.empty())
    return {0, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto at = [&](double q) { return quantile_sorted(values, q); };
  return {.n = static_cast<std::int64_t>(values.size()),
          .mean = mean,
          .std = std::sqrt(squares / n),
          .min = values.front(),
          .max = values.back(),
          .p1 = at(0.01),
          .p5 = at(0.05),
          .p10 = at(0.10),
          .p25 = at(0.25),
          .p50 = at(0.50),
          .p75 = at(0.75),
          .p90 = at(0.90),
          .p95 = at(0.95),
          .p99 = at(0.99)};
}

Summary QuantileSketch::summary() const {
  return {.n = count_,
          .mean = mean(),
          .std = kNaN,
          .min = quantile(0),
          .max = max(),
          .p1 = quantile(0.01),
          .p5 = quantile(0.05),
          .p10 = quantile(0.10),
          .p25 = quantile(0.25),
          .p50 = quantile(0.50),
          .p75 = quantile(0.75),
          .p90 = quantile(0.90),
          .p95 = quantile(0.95),
          .p99 = quantile(0.99)};
}

void QuantileSketch::make_room(int first, int last) {
  if (buckets_.empty()) first_bucket_ = first;
  if (first < first_bucket_) {
    buckets_.insert(buckets_.begin(), static_cast<std::size_t>(first_bucket_ - first), 0);
    first_bucket_ = first;
  }
  const auto needed = static_cast<std::size_t>(last - first_bucket_ + 1);
  if (buckets_.size() < needed) buckets_.resize(needed, 0);
}

void QuantileSketch::add(double value, std::int64_t count) {
  if (!std::isfinite(value) || count <= 0) return;
  if (value < kSmallest) {
    value = 0;
    zeros_ += count;
  } else {
    const int bucket = bucket_of(value);
    make_room(bucket, bucket);
    buckets_[static_cast<std::size_t>(bucket - first_bucket_)] += count;
  }
  count_ += count;
  sum_ += value * static_cast<double>(count);
  max_ = std::max(max_, value);
}

void QuantileSketch::merge(const QuantileSketch& other) {
  if (!other.buckets_.empty()) {
    make_room(other.first_bucket_, other.first_bucket_ + static_cast<int>(other.buckets_.size()) - 1);
    const auto shift = static_cast<std::size_t>(other.first_bucket_ - first_bucket_);
    for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[shift + i] += other.buckets_[i];
  }
  zeros_ += other.zeros_;
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

void QuantileSketch::clear() {
  *this = {};
}

double QuantileSketch::mean() const {
  return count_ == 0 ? kNaN : sum_ / static_cast<double>(count_);
}

double QuantileSketch::max() const {
  return count_ == 0 ? kNaN : max_;
}

double QuantileSketch::value_at(std::int64_t rank) const {
  if (rank < zeros_) return 0;
  std::int64_t seen = zeros_;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (rank < seen) return std::min(bucket_value(first_bucket_ + static_cast<int>(i)), max_);
  }
  return max_;
}

std::vector<QuantileSketch::Step> QuantileSketch::steps() const {
  std::vector<Step> result;
  if (zeros_ > 0) result.push_back({0, zeros_});
  std::int64_t seen = zeros_;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    seen += buckets_[i];
    const double value = seen == count_ ? max_ : bucket_value(first_bucket_ + static_cast<int>(i));
    result.push_back({value, seen});
  }
  return result;
}

std::vector<QuantileSketch::Bucket> QuantileSketch::buckets() const {
  std::vector<Bucket> result;
  if (zeros_ > 0) result.push_back({0, zeros_});
  for (std::size_t i = 0; i < buckets_.size(); ++i)
    if (buckets_[i] > 0) result.push_back({bucket_value(first_bucket_ + static_cast<int>(i)), buckets_[i]});
  return result;
}

QuantileSketch QuantileSketch::of(std::span<const Bucket> buckets, double sum, double max) {
  QuantileSketch sketch;
  for (const Bucket& bucket : buckets) sketch.add(bucket.value, bucket.count);
  if (!std::isfinite(sum) || !std::isfinite(max) || max < 0) return {};
  sketch.sum_ = sum;
  sketch.max_ = max;
  return sketch;
}

double QuantileSketch::quantile(double q) const {
  if (count_ == 0) return kNaN;
  // Linear between neighbouring ranks like quantile_sorted: two ends within 1 % keep what lies between within
  // 1 %.
  const double h = static_cast<double>(count_ - 1) * std::clamp(q, 0.0, 1.0);
  const auto rank = static_cast<std::int64_t>(h);
  if (rank >= count_ - 1) return max_;
  const double below = value_at(rank);
  const double fraction = h - static_cast<double>(rank);
  return fraction == 0 ? below : below + fraction * (value_at(rank + 1) - below);
}

}  // namespace pitwall
