// SPDX-License-Identifier: GPL-3.0-or-later
// RunStatistics: what a run's summary says of its requests, gathered one ended request at a time.
#pragma once
#include <array>

#include "engine/telemetry/ring.h"
#include "engine/telemetry/run.h"

namespace pitwall {

void count_finish(FinishReason reason, EngineTotals& totals);

/// 40 bytes for each of `most` requests from the start; beyond that the oldest leaves the percentiles (counts
/// go on). Not thread-safe.
class RunStatistics {
 public:
  explicit RunStatistics(std::size_t most) : metrics_(most) {}

  void add(const RequestRecord& request);
  RunSummary summary() const;  ///< metrics, totals of requests, throughput

 private:
  static constexpr std::size_t kMetricCount = 5;

  Ring<std::array<double, kMetricCount>> metrics_;  // of requests that ended well, ms
  EngineTotals totals_;
  std::int64_t good_output_tokens_ = 0;
  Nanos first_arrival_ = 0, last_token_ = 0;  // of requests that ended well
};

}  // namespace pitwall
