// SPDX-License-Identifier: GPL-3.0-or-later
// The Pareto front of trade-offs: those that no other one beats in both.
#pragma once
#include <cstddef>
#include <vector>

namespace pitwall {

struct TradeOff {
  double cost = 0, gain = 0;  ///< less cost and more gain are better
};

/// Indexes of the front by rising cost; points with NaN are on none.
std::vector<std::size_t> pareto_front(const std::vector<TradeOff>& points);

}  // namespace pitwall
