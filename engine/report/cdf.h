// SPDX-License-Identifier: GPL-3.0-or-later
// A distribution with its tail drawn out: 0, 90, 99, 99.9 … % evenly apart.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/telemetry/quantiles.h"
#include "engine/telemetry/run.h"

namespace pitwall {

/// How far up such an axis a share stands: 0 → 0, 0.9 → 1, 0.99 → 2. `share` in [0, 1).
double nines_of(double share);
double share_of_nines(double nines);  ///< the way back
std::string nines_label(int nines);   ///< "0 %", "90 %", "99.9 %"

struct Cdf {
  std::vector<double> values;         ///< ascending
  std::vector<std::int64_t> at_most;  ///< samples that are at most values[i]; the last is their number
  std::int64_t samples() const { return at_most.empty() ? 0 : at_most.back(); }
  /// Of the samples at most values[i]; the last one's would lie at infinity, so that it is 1 − 1/n.
  double share(std::size_t i) const;
};
/// Of a sample in any order; what is no finite number is left out. A large one keeps what can be seen.
Cdf cdf_of(std::vector<double> samples);
Cdf cdf_of(const QuantileSketch& sketch);

/// A staircase from share 0 on: what is between two samples happened to nobody.
struct CdfCorner {
  double value = 0, share = 0;
};
std::vector<CdfCorner> staircase(const Cdf& cdf);

/// A measure over the requests that ended well.
std::vector<double> values_of(const std::vector<RequestRecord>& requests,
                              double (RequestRecord::*measure)() const);

}  // namespace pitwall
