// SPDX-License-Identifier: GPL-3.0-or-later
// A distribution with its tail drawn out: 0, 90, 99, 99.9 … % evenly apart.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/telemetry/run.h"

namespace pitwall {

/// How far up such an axis a share stands: 0 → 0, 0.9 → 1, 0.99 → 2. `share` in [0, 1).
double nines_of(double share);
double share_of_nines(double nines);  ///< the way back
std::string nines_label(int nines);   ///< "0 %", "90 %", "99.9 %"

struct Cdf {
  std::vector<double> value;  ///< ascending
  std::vector<double> nines;  ///< of the share of values below it; the last one's is 1 − 1/n
  std::int64_t n = 0;
};
/// At most a few hundred points, evenly apart on the axis; NaN is left out.
Cdf cdf_of(std::vector<double> values);

/// A measure over the requests that ended well.
std::vector<double> values_of(const std::vector<RequestRecord>& requests,
                              double (RequestRecord::*measure)() const);

}  // namespace pitwall
