// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/effect.h"

#include <cmath>
#include <vector>

namespace pitwall {

namespace {

Reading reading_of(const Interval& difference, std::size_t pairs, std::optional<bool> more_is_better) {
  if (std::isnan(difference.mean)) return Reading::undefined;
  if (pairs < 2) return Reading::one_pair;
  if (difference.low <= 0 && difference.high >= 0) return Reading::no_change;
  if (!more_is_better) return Reading::moved;
  return (difference.mean > 0) == *more_is_better ? Reading::better : Reading::worse;
}

}  // namespace

Effect paired_effect(std::span<const double> before, std::span<const double> after,
                     std::optional<bool> more_is_better) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < before.size(); ++i) differences.push_back(after[i] - before[i]);
  Effect effect;
  effect.before = mean_interval(before).mean;
  effect.after = mean_interval(after).mean;
  effect.difference = mean_interval(differences);
  const double whole = effect.before != 0 ? effect.before : std::nan("");
  effect.percent = 100 * effect.difference.mean / whole;
  effect.percent_half = 100 * (effect.difference.high - effect.difference.mean) / std::abs(whole);
  effect.reading = reading_of(effect.difference, before.size(), more_is_better);
  return effect;
}

}  // namespace pitwall
