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

/// Why the first prompt token that was not found in the prefix cache was not there.
enum class MissReason : std::uint8_t {
  none,              ///< all that may be reused was
  disabled,          ///< prefix caching is off
  below_one_block,   ///< the prompt is shorter than a block: nothing of its kind is kept
  cold,              ///< nothing is cached that begins, or goes on, from here
  diverged,          ///< something cached began the same and goes on with another token
  evicted,           ///< it was cached and gave way to others
  different_salt,    ///< the same tokens are cached under another salt or adapter
  not_yet_computed,  ///< another request is computing it, and waiting was not cheaper
};
inline constexpr int kMissReasonCount = 8;
std::string_view miss_reason_name(MissReason reason);  ///< as the enumerator

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
  std::int16_t swapped_out = 0, swapped_in = 0;  ///< blocks
  std::int32_t padding_tokens = 0;               ///< computed and thrown away (static batching)
  std::int32_t kv_cached_blocks = 0;             ///< without an owner, kept for their prefix
  std::int32_t swap_ns = 0;                      ///< of started → finished, moving blocks
  std::int32_t predicted_ns = 0;                 ///< what the step-time model expected; 0 = it did not know
  std::int64_t decode_context = 0, prefill_pairs = 0;  ///< as in StepShape
  std::uint32_t first_event = 0;  ///< its StepEvents are [first_event, first_event + events)
  std::uint16_t events = 0;
};
static_assert(sizeof(StepRecord) <= 128);

/// The executor idle although work was there, of the time of some steps.
struct IdleShare {
  Nanos idle = 0, busy = 0;
  void add(const StepRecord& step) {
    idle += step.gap_ns > 0 ? step.gap_ns : 0;
    busy += step.finished - step.started;
  }
  double percent() const;  ///< NaN without steps
};

/// What happened to whom in a step; kept in a ring of their own, numbered from 0 and wrapping at 2^32.
struct StepEvent {
  enum class Kind : std::uint8_t { joined, resumed, left, preempted, swapped_out };
  std::uint64_t step = 0;
  RequestId request;
  Kind kind = Kind::joined;
  std::int32_t tokens = 0;  ///< joined, resumed: found in the prefix cache or swapped in; preempted: thrown
                            ///< away; swapped_out: moved
};
std::string_view step_event_name(StepEvent::Kind kind);

/// A request takes its slot: for the first time, or again after a preemption.
struct AdmissionEvent {
  RequestId request;
  bool resumed = false;
  std::int32_t cached_tokens = 0;   ///< found in the prefix cache
  std::int32_t swapped_tokens = 0;  ///< brought back from the swap space
  MissReason miss = MissReason::none;
  std::int32_t miss_token = -1;
};

struct PreemptionEvent {
  RequestId request;
  std::int32_t tokens = 0;  ///< KV positions thrown away, or moved to the swap space
  bool swapped = false;
  std::int32_t free_blocks = 0;  ///< of the pool when it happened
};

/// A piece of a prompt that has a name, such as "messages[0] (system)". No text.
struct PromptPart {
  std::int32_t first_token = 0;
  std::string name;
};

enum class FinishReason : std::uint8_t { none, stop, length, cancelled, error };
std::string_view finish_reason_name(FinishReason reason);  ///< "stop", "length", "cancelled", "error", ""

/// Why a request ended with FinishReason::error.
enum class FailureCause : std::uint8_t {
  none,
  refused,        ///< the scheduler: it can never run
  step,           ///< its step failed on the device
  out_of_memory,  ///< its step failed for want of memory
  not_finite,     ///< its logits held no numbers
  rule,           ///< what was sampled went against the rule for its reply
  engine          ///< a fault of the engine, which ended all requests
};
inline constexpr int kFailureCauses = 7;
std::string_view failure_cause_name(FailureCause cause);

/// One request, from arrival to its end. Steady times; 0 = did not happen.
struct RequestRecord {
  RequestId id;
  std::string label;  ///< the API's id ("chatcmpl-…"), never prompt text
  Nanos arrival_utc = 0;
  Nanos arrival = 0, scheduled = 0, first_token = 0, last_token = 0, finished = 0;
  std::int32_t prompt_tokens = 0, output_tokens = 0, preemptions = 0;
  std::int32_t cached_tokens =
      0;  ///< found in the prefix cache when first scheduled; preemptions do not count
  MissReason miss = MissReason::none;
  std::int32_t miss_token = -1;  ///< position of the first prompt token that was not found; −1 = all were
  std::string miss_part;         ///< where that is: "messages[0] (system), token 31"; no prompt text
  std::int32_t recomputed_tokens = 0, swapped_tokens = 0;  ///< through preemptions
  Nanos preempted_ns = 0;               ///< from preemption to being scheduled again, all together
  Nanos preempted_before_first_ns = 0;  ///< the part of it before the first token
  std::int32_t priority = 0;
  std::string tenant;  ///< name of the API key, or ""
  Nanos max_itl = 0;   ///< largest gap between two tokens
  FinishReason finish = FinishReason::none;
  std::string error;

  bool ended_well() const;  ///< stop or length

  // Milliseconds; NaN when undefined.
  double queue_ms() const;      ///< arrival → first scheduled
  double ttft_ms() const;       ///< arrival → first token
  double prefill_ms() const;    ///< first scheduled → first token, preempted time left out
  double decode_ms() const;     ///< first token → last token, preempted time left out
  double preempted_ms() const;  ///< queue + prefill + decode + preempted = e2e
  double tpot_ms() const;       ///< (last − first token) / (output_tokens − 1), n ≥ 2
  double e2e_ms() const;        ///< arrival → last token
  double max_itl_ms() const;    ///< needs two tokens
};

/// Who changed a setting while requests ran. unknown: a run of an older version.
enum class ChangedBy : std::uint8_t { unknown, user, sweep, checklist, client };

/// A setting that was changed while requests ran.
struct SettingChange {
  Nanos utc = 0;
  std::string name, from, to;
  ChangedBy by = ChangedBy::unknown;
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
  std::int64_t prefix_query_tokens = 0, prefix_hit_tokens = 0;  ///< of requests first scheduled in it
};

}  // namespace pitwall
