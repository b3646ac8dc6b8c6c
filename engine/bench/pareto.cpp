// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/pareto.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pitwall {

std::vector<std::size_t> pareto_front(const std::vector<TradeOff>& points) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!std::isnan(points[i].cost) && !std::isnan(points[i].gain)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (points[a].cost != points[b].cost) return points[a].cost < points[b].cost;
    return points[a].gain > points[b].gain;
  });
  std::vector<std::size_t> front;
  double cost = std::numeric_limits<double>::quiet_NaN(), most = -std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    const bool equal = points[i].cost == cost && points[i].gain == most;
    if (points[i].gain <= most && !equal) continue;
    front.push_back(i);
    cost = points[i].cost;
    most = points[i].gain;
  }
  return front;
}

}  // namespace pitwall
