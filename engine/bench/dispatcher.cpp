// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/dispatcher.h"

#include <algorithm>

namespace pitwall {

Dispatcher::Dispatcher(const Trace& trace, std::optional<int> max_concurrency, Nanos start)
    : trace_(trace), max_concurrency_(max_concurrency), start_(start), total_(trace.requests.size()) {
  for (std::size_t i = 0; i < total_; ++i) {
    const TraceRequest& request = trace.requests[i];
    if (request.after >= 0) {
      later_turns_.emplace(request.after, i);
    } else {
      waiting_.emplace(start + request.arrival, i);
    }
  }
}

std::optional<Dispatcher::Sending> Dispatcher::next(Nanos now) {
  if (waiting_.empty() || full() || waiting_.top().first > now) return std::nullopt;
  const auto [due, index] = waiting_.top();
  waiting_.pop();
  ++sent_;
  ++live_;
  return Sending{index, due, std::max(due, freed_)};
}

std::optional<Nanos> Dispatcher::next_due() const {
  if (waiting_.empty() || full()) return std::nullopt;
  return waiting_.top().first;
}

void Dispatcher::ended(std::size_t index, Nanos now) {
  if (full()) freed_ = now;
  --live_;
  const auto [first, last] = later_turns_.equal_range(static_cast<std::int32_t>(index));
  for (auto turn = first; turn != last; ++turn) {
    const TraceRequest& request = trace_.requests[turn->second];
    waiting_.emplace(std::max(start_ + request.arrival, now + request.think), turn->second);
  }
}

}  // namespace pitwall
