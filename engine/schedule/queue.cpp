// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/schedule/queue.h"

#include <tuple>
#include <utility>

namespace pitwall {

void Queue::push(Sequence& sequence) {
  by_age_.insert(&sequence);
  lanes_[{sequence.lane, sequence.is_long}].insert(&sequence);
}

void Queue::erase(Sequence& sequence) {
  by_age_.erase(&sequence);
  const auto lane = lanes_.find({sequence.lane, sequence.is_long});
  lane->second.erase(&sequence);
  if (lane->second.empty()) lanes_.erase(lane);
}

Queue::Walk::Walk(const Queue& queue, const Policy& policy, Nanos now, Nanos max_wait)
    : policy_(policy),
      now_(now),
      max_wait_(max_wait),
      age_(queue.by_age_.begin()),
      ages_end_(queue.by_age_.end()) {
  for (const auto& [name, lane] : queue.lanes_)
    lanes_.push_back({name.first, name.second, lane.begin(), lane.end(), lane.size()});
}

Sequence* Queue::Walk::next(const PlanTally& tally) {
  if (age_ != ages_end_ && aged(**age_)) return *age_++;
  Cursor* best = nullptr;
  std::int64_t best_rank = 0;
  for (Cursor& lane : lanes_) {
    for (; lane.at != lane.end && aged(**lane.at); ++lane.at) --lane.left;  // came already
    if (lane.at == lane.end) continue;
    const std::int64_t rank = policy_.rank(lane.lane, tally);
    if (best && std::tuple(best_rank, (*best->at)->request.arrival, (*best->at)->request.id) <
                    std::tuple(rank, (*lane.at)->request.arrival, (*lane.at)->request.id)) {
      continue;
    }
    best = &lane;
    best_rank = rank;
  }
  if (!best) return nullptr;
  --best->left;
  return *best->at++;
}

int Queue::Walk::close_long() {
  std::size_t closed = 0;
  for (Cursor& lane : lanes_) {
    if (!lane.is_long) continue;
    lane.at = lane.end;
    closed += std::exchange(lane.left, 0);
  }
  return static_cast<int>(closed);
}

}  // namespace pitwall
