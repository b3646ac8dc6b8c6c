// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshot: an immutable picture of a running engine for the window, /pitwall/snapshot and the status line.
#pragma once
#include <array>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engine/telemetry/ledger.h"
#include "engine/telemetry/quantiles.h"
#include "engine/telemetry/records.h"

namespace pitwall {

enum class EngineState : std::uint8_t { stopped, loading, serving, stopping, failed };
std::string_view engine_state_name(EngineState state);

struct EngineTotals {  ///< since start
  std::int64_t requests_finished = 0, requests_stop = 0, requests_length = 0, requests_cancelled = 0,
               requests_error = 0;
  std::int64_t prompt_tokens = 0, output_tokens = 0, preemptions = 0, steps = 0;
  std::int64_t prefix_query_tokens = 0, prefix_hit_tokens = 0;  ///< prompts, once, when first scheduled
  std::int64_t recomputed_tokens = 0, swapped_tokens = 0;       ///< lost or moved by preemptions
  std::int64_t evicted_blocks = 0;                              ///< cached prefixes that gave way
  std::array<std::int64_t, kMissReasonCount> misses{};          ///< requests by MissReason
};

/// In ms.
struct LatencySketches {
  QuantileSketch ttft, tpot, itl, queue;
  void merge(const LatencySketches& other);
};

struct Snapshot {
  Nanos utc = 0, steady = 0, started_utc = 0;
  EngineState state = EngineState::stopped;
  std::string model;  ///< served name
  RunId run;
  std::int32_t running = 0, waiting = 0, max_num_seqs = 0;
  std::int32_t deferred = 0;  ///< of those that wait: for another's prefix, or by a limit on long prompts
  std::int32_t kv_blocks = 0, kv_blocks_used = 0, kv_blocks_cached = 0, block_size = 0;
  std::int64_t recent_query_tokens = 0,
               recent_hit_tokens = 0;  ///< prefix cache, last 1,000 requests scheduled
  LedgerSnapshot ledger;
  EngineTotals totals;
  double output_tokens_per_s = 0, prompt_tokens_per_s = 0;  ///< over the last 2 s
  double idle_percent =
      std::numeric_limits<double>::quiet_NaN();  ///< of the time of the steps of the last 2 s: before them,
                                                 ///< with work there; NaN: no step
  Percentiles ttft, tpot, itl, queue;            ///< over the last 2 min, or since the last live change
  LatencySketches sketches;                      ///< what they are of; not in JSON
  std::vector<SecondRecord> history;             ///< last 10 min, oldest first
  std::vector<StepRecord> steps;                 ///< last 256, oldest first
  std::vector<SettingChange> changes;            ///< of live settings, of the last laps: at most 256
  std::int32_t first_lap = 2;                    ///< number of the lap that the first of `changes` begins
  std::vector<RequestRecord> requests;           ///< live ones, then the last 200 ended, newest first
};

/// One JSON document; undefined numbers are null. Keys: the member names above; ledger as in cli.md's plan
/// categories.
std::string snapshot_json(const Snapshot& snapshot);
/// Each step with its events: who joined, resumed, left, was preempted or swapped out.
std::string steps_json(const std::vector<StepRecord>& steps,
                       const std::function<std::vector<StepEvent>(const StepRecord&)>& events_of);
std::string requests_json(const std::vector<RequestRecord>& requests);

}  // namespace pitwall
