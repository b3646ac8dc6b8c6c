// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/run_statistics.h"

#include <algorithm>
#include <cmath>

namespace pitwall {
namespace {

constexpr std::array<const char*, 5> kMetricNames = {"ttft_ms", "tpot_ms", "e2e_ms", "queue_ms",
                                                     "max_itl_ms"};

}  // namespace

void count_finish(FinishReason reason, EngineTotals& totals) {
  ++totals.requests_finished;
  switch (reason) {
    case FinishReason::none:
      break;
    case FinishReason::stop:
      ++totals.requests_stop;
      break;
    case FinishReason::length:
      ++totals.requests_length;
      break;
    case FinishReason::cancelled:
      ++totals.requests_cancelled;
      break;
    case FinishReason::error:
      ++totals.requests_error;
      break;
  }
}

void RunStatistics::add(const RequestRecord& request) {
  count_finish(request.finish, totals_);
  if (request.first_token > 0) totals_.prompt_tokens += request.prompt_tokens;
  totals_.output_tokens += request.output_tokens;
  totals_.preemptions += request.preemptions;
  totals_.recomputed_tokens += request.recomputed_tokens;
  totals_.swapped_tokens += request.swapped_tokens;
  if (request.scheduled > 0) {
    totals_.prefix_query_tokens += request.prompt_tokens;
    totals_.prefix_hit_tokens += request.cached_tokens;
    ++totals_.misses[static_cast<std::size_t>(request.miss)];
  }
  if (!request.ended_well()) return;

  first_arrival_ = metrics_.size() == 0 ? request.arrival : std::min(first_arrival_, request.arrival);
  last_token_ = std::max(last_token_, request.last_token);
  good_output_tokens_ += request.output_tokens;
  metrics_.push(
      {request.ttft_ms(), request.tpot_ms(), request.e2e_ms(), request.queue_ms(), request.max_itl_ms()});
}

RunSummary RunStatistics::summary() const {
  RunSummary summary;
  summary.totals = totals_;
  for (std::size_t metric = 0; metric < kMetricCount; ++metric) {
    std::vector<double> values;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      if (!std::isnan(metrics_[i][metric])) values.push_back(metrics_[i][metric]);
    }
    summary.metrics[kMetricNames[metric]] = summarize(std::move(values));
  }
  if (last_token_ > first_arrival_) {
    summary.output_tokens_per_s = static_cast<double>(good_output_tokens_) /
                                  (static_cast<double>(last_token_ - first_arrival_) / kNanosPerSecond);
  }
  return summary;
}

}  // namespace pitwall
