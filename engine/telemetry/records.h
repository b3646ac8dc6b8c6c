// SPDX-License-Identifier: GPL-3.0-or-later
// What is written down of each step, each second and each request. Definitions: README.md of this folder.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/clock.h"
#include "engine/base/ids.h"
#include "engine/base/units.h"

namespace pitwall {

/// One engine step. Times are steady nanoseconds and durations nanoseconds.
struct StepRecord {
  std::uint64_t step = 0;
  Nanos launched = 0, started = 0, finished = 0;  ///< handed to the executor; began and ended there
  std::int32_t plan_ns = 0, commit_ns = 0;
  std::int32_t gap_ns = 0;  ///< executor idle before this step although work was there
  std::int32_t prefill_tokens = 0, decode_tokens = 0;
  std::int32_t sequences = 0, waiting = 0;
  std::int32_t kv_used_blocks = 0;
  std::int16_t joined = 0, left = 0, preempted = 0, evicted = 0, copied = 0;
  bool graph_hit = false;
};
static_assert(sizeof(StepRecord) <= 128);

enum class FinishReason : std::uint8_t { none, stop, length, cancelled, error };
std::string_view finish_reason_name(FinishReason reason);  ///< "stop", "length", "cancelled", "error", ""

/// One request, from arrival to its end. Steady times; 0 = did not happen.
struct RequestRecord {
  RequestId id;
  std::string label;  ///< the API's id ("chatcmpl-…"), never prompt text
  Nanos arrival_utc = 0;
  Nanos arrival = 0, scheduled = 0, first_token = 0, last_token = 0, finished = 0;
  std::int32_t prompt_tokens = 0, cached_tokens = 0, output_tokens = 0, preemptions = 0;
  Nanos max_itl = 0;  ///< largest gap between two tokens
  FinishReason finish = FinishReason::none;
  std::string error;

  bool ended_well() const;  ///< stop or length

  // Milliseconds; NaN when undefined.
  double queue_ms() const;    ///< arrival → first scheduled
  double ttft_ms() const;     ///< arrival → first token
  double tpot_ms() const;     ///< (last − first token) / (output_tokens − 1), n ≥ 2
  double e2e_ms() const;      ///< arrival → last token
  double max_itl_ms() const;  ///< needs two tokens
};

/// Percentiles of a measure over a window, in ms. NaN when n = 0.
struct Percentiles {
  std::int64_t n = 0;
  double mean, p50, p90, p99, max;
  Percentiles();
};

/// One second of serving: a point of every time chart and a row of a stored run.
struct SecondRecord {
  Nanos utc = 0;                       ///< start of the second
  Percentiles ttft, tpot, itl, queue;  ///< over the averaging window that ends here (README.md)
  double output_tokens_per_s = 0, prompt_tokens_per_s = 0;
  std::int32_t running = 0, waiting = 0, preemptions = 0, finished = 0;
  Bytes kv_used = 0, kv_cached = 0, kv_quarantined = 0, kv_free = 0;
  Bytes accounted = 0, measured = 0;
};

}  // namespace pitwall
