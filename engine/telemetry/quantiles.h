// SPDX-License-Identifier: GPL-3.0-or-later
// Percentiles live here and nowhere else: exact ones (type 7, linear) and a mergeable sketch.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace pitwall {

/// Type 7 (NumPy's default): h = (n − 1)·q, linear between neighbours. `sorted` ascending, not empty; q in
/// [0, 1].
double quantile_sorted(std::span<const double> sorted, double q);

/// Statistics of a sample; all NaN when n = 0. std is the population's.
struct Summary {
  std::int64_t n = 0;
  double mean, std, min, max, p1, p5, p10, p25, p50, p75, p90, p95, p99;
};
Summary summarize(std::vector<double> values);  ///< exact

/// Log-bucketed sketch (DDSketch, Masson et al. 2019): relative error ≤ 1 % at any quantile, mergeable.
/// Values < 1e-9 count as 0, NaN and infinities are left out. Not thread-safe.
class QuantileSketch {
 public:
  void add(double value, std::int64_t count = 1);
  void merge(const QuantileSketch& other);
  void clear();
  std::int64_t count() const { return count_; }
  double sum() const { return sum_; }
  double mean() const;              ///< NaN when empty
  double max() const;               ///< exact; NaN when empty
  double quantile(double q) const;  ///< NaN when empty
  Summary summary() const;          ///< within 1 %; std is NaN
  struct Step {
    double value = 0;
    std::int64_t at_most = 0;  ///< samples up to and with it
  };
  std::vector<Step> steps() const;  ///< the whole distribution, ascending; the last one is all of it
  struct Bucket {
    double value = 0;  ///< within 1 % of each of its samples
    std::int64_t count = 0;
  };
  std::vector<Bucket> buckets() const;  ///< ascending, none empty: a few hundred, to be written down
  /// A sketch that was written down; of nonsense, an empty one.
  static QuantileSketch of(std::span<const Bucket> buckets, double sum, double max);

 private:
  void make_room(int first, int last);
  double value_at(std::int64_t rank) const;

  std::vector<std::int64_t>
      buckets_;  // counts; contiguous, so that merging is one pass over a few hundred numbers
  int first_bucket_ = 0;
  std::int64_t zeros_ = 0, count_ = 0;
  double sum_ = 0, max_ = 0;
};

}  // namespace pitwall
