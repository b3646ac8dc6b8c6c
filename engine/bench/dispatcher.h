// SPDX-License-Identifier: GPL-3.0-or-later
// Dispatcher: when each request of a trace may be sent. Open loop by arrival times, closed loop by a limit of
// requests at once, later turns after the reply before them.
#pragma once
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "engine/bench/trace.h"

namespace pitwall {

/// Times are those of the caller's clock; the trace begins at `start`. Not thread-safe.
class Dispatcher {
 public:
  Dispatcher(const Trace& trace, std::optional<int> max_concurrency, Nanos start);

  struct Sending {
    std::size_t index = 0;
    Nanos due = 0;    ///< by the trace
    Nanos ready = 0;  ///< due, or when a place became free after it
  };
  /// The next request that may be sent at `now`, counted as sent from then on.
  std::optional<Sending> next(Nanos now);
  /// When to ask again, as far as no end of a request changes it.
  std::optional<Nanos> next_due() const;
  /// Each request that was sent ends once, whether it went well or not.
  void ended(std::size_t index, Nanos now);

  int live() const { return live_; }  ///< sent and not ended
  bool all_sent() const { return sent_ == total_; }
  bool done() const { return all_sent() && live_ == 0; }

 private:
  bool full() const { return max_concurrency_ && live_ >= *max_concurrency_; }

  using Due = std::pair<Nanos, std::size_t>;
  const Trace& trace_;
  std::optional<int> max_concurrency_;
  Nanos start_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> waiting_;
  std::unordered_multimap<std::int32_t, std::size_t> later_turns_;  // by the request they wait for
  std::size_t total_, sent_ = 0;
  int live_ = 0;
  Nanos freed_ = 0;  // when a place at the full client became free, last
};

}  // namespace pitwall
