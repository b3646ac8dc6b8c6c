// SPDX-License-Identifier: GPL-3.0-or-later
// RequestLog: turns a scheduler's events into RequestRecords and token gaps.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/schedule/scheduler.h"
#include "engine/telemetry/records.h"

namespace pitwall {

/// Request ids are 1 … n. Times only grow. Not thread-safe.
class RequestLog {
 public:
  explicit RequestLog(std::size_t requests);

  void arrived(const Request& request);
  void admitted(const AdmissionEvent& event, Nanos at);
  void preempted(const PreemptionEvent& event, Nanos at);
  void token(const TokenEvent& event, Nanos at);
  void finished(const FinishEvent& event, Nanos at);

  int live() const { return live_; }
  int peak_live() const { return peak_live_; }
  std::int64_t peak_tokens_in_a_second() const { return peak_tokens_; }
  const RequestRecord& record(RequestId id) const { return records_[id.value - 1]; }
  std::vector<RequestRecord> take_records() { return std::move(records_); }  ///< by id
  std::vector<double> take_itl_ms() {
    return std::move(itl_ms_);
  }  ///< gaps of all requests, in order of time

 private:
  RequestRecord& of(RequestId id) { return records_[id.value - 1]; }

  std::vector<RequestRecord> records_;
  std::vector<Nanos> preempted_at_;  // 0 = not preempted now
  std::vector<double> itl_ms_;
  int live_ = 0, peak_live_ = 0;
  std::int64_t second_ = 0, tokens_in_second_ = 0, peak_tokens_ = 0;
};

}  // namespace pitwall
