// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/request_log.h"

#include <algorithm>

namespace pitwall {

RequestLog::RequestLog(std::size_t requests) : records_(requests), preempted_at_(requests) {}

void RequestLog::arrived(const Request& request) {
  RequestRecord& record = of(request.id);
  record.id = request.id;
  record.label = request.label;
  record.arrival = request.arrival;
  record.prompt_tokens = static_cast<std::int32_t>(request.prompt.size());
  record.priority = request.priority;
  record.tenant = request.tenant;
  peak_live_ = std::max(peak_live_, ++live_);
}

void RequestLog::admitted(const AdmissionEvent& event, Nanos at) {
  RequestRecord& record = of(event.request);
  if (!event.resumed) {
    record.scheduled = at;
    record.cached_tokens = event.cached_tokens;
    record.miss = event.miss;
    record.miss_token = event.miss_token;
    return;
  }
  const Nanos away = at - preempted_at_[event.request.value - 1];
  record.preempted_ns += away;
  if (record.output_tokens == 0) record.preempted_before_first_ns += away;
}

void RequestLog::preempted(const PreemptionEvent& event, Nanos at) {
  RequestRecord& record = of(event.request);
  ++record.preemptions;
  (event.swapped ? record.swapped_tokens : record.recomputed_tokens) += event.tokens;
  preempted_at_[event.request.value - 1] = at;
}

void RequestLog::token(const TokenEvent& event, Nanos at) {
  RequestRecord& record = of(event.request);
  if (record.output_tokens++ == 0) {
    record.first_token = at;
  } else {
    const Nanos gap = at - record.last_token;
    record.max_itl = std::max(record.max_itl, gap);
    itl_ms_.push_back(static_cast<double>(gap) / static_cast<double>(kNanosPerMs));
  }
  record.last_token = at;
  if (at / kNanosPerSecond != second_) tokens_in_second_ = 0;
  second_ = at / kNanosPerSecond;
  peak_tokens_ = std::max(peak_tokens_, ++tokens_in_second_);
}

void RequestLog::finished(const FinishEvent& event, Nanos at) {
  RequestRecord& record = of(event.request);
  record.finished = at;
  record.finish = event.reason;
  record.error = event.error;
  --live_;
}

}  // namespace pitwall
