// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/telemetry/records.h"

#include <limits>

namespace pitwall {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double ms(Nanos duration) {
  return static_cast<double>(duration) / static_cast<double>(kNanosPerMs);
}

}  // namespace

double IdleShare::percent() const {
  return busy > 0 ? 100 * static_cast<double>(idle) / static_cast<double>(idle + busy) : kNaN;
}

std::string_view finish_reason_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::none:
      return "";
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::cancelled:
      return "cancelled";
    case FinishReason::error:
      return "error";
  }
  return "";
}

std::string_view failure_cause_name(FailureCause cause) {
  switch (cause) {
    case FailureCause::none:
      return "";
    case FailureCause::refused:
      return "refused";
    case FailureCause::step:
      return "step";
    case FailureCause::out_of_memory:
      return "out_of_memory";
    case FailureCause::not_finite:
      return "not_finite";
    case FailureCause::rule:
      return "rule";
    case FailureCause::engine:
      return "engine";
  }
  return "";
}

std::string_view miss_reason_name(MissReason reason) {
  switch (reason) {
    case MissReason::none:
      return "none";
    case MissReason::disabled:
      return "disabled";
    case MissReason::below_one_block:
      return "below_one_block";
    case MissReason::cold:
      return "cold";
    case MissReason::diverged:
      return "diverged";
    case MissReason::evicted:
      return "evicted";
    case MissReason::different_salt:
      return "different_salt";
    case MissReason::not_yet_computed:
      return "not_yet_computed";
  }
  return "";
}

std::string_view step_event_name(StepEvent::Kind kind) {
  switch (kind) {
    case StepEvent::Kind::joined:
      return "joined";
    case StepEvent::Kind::resumed:
      return "resumed";
    case StepEvent::Kind::left:
      return "left";
    case StepEvent::Kind::preempted:
      return "preempted";
    case StepEvent::Kind::swapped_out:
      return "swapped_out";
  }
  return "";
}

bool RequestRecord::ended_well() const {
  return finish == FinishReason::stop || finish == FinishReason::length;
}

double RequestRecord::queue_ms() const {
  // A virtual clock starts at 0: whoever got a token was scheduled, even at time 0.
  const bool was_scheduled = scheduled > 0 || (arrival == 0 && first_token > 0);
  return was_scheduled ? ms(scheduled - arrival) : kNaN;
}

double RequestRecord::ttft_ms() const {
  return first_token > 0 ? ms(first_token - arrival) : kNaN;
}

double RequestRecord::prefill_ms() const {
  return first_token > 0 ? ms(first_token - scheduled - preempted_before_first_ns) : kNaN;
}

double RequestRecord::decode_ms() const {
  return first_token > 0 ? ms(last_token - first_token - (preempted_ns - preempted_before_first_ns)) : kNaN;
}

double RequestRecord::preempted_ms() const {
  return first_token > 0 ? ms(preempted_ns) : kNaN;
}

double RequestRecord::tpot_ms() const {
  return output_tokens >= 2 && last_token > 0 ? ms(last_token - first_token) / (output_tokens - 1) : kNaN;
}

double RequestRecord::e2e_ms() const {
  return last_token > 0 ? ms(last_token - arrival) : kNaN;
}

double RequestRecord::max_itl_ms() const {
  return output_tokens >= 2 && last_token > 0 ? ms(max_itl) : kNaN;
}

Percentiles::Percentiles() : mean(kNaN), p50(kNaN), p90(kNaN), p99(kNaN), max(kNaN) {}

}  // namespace pitwall
