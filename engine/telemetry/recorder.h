// SPDX-License-Identifier: GPL-3.0-or-later
// Recorder: takes what the engine thread reports and answers Snapshots. Recording costs ≤ 1 % of throughput.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/base/clock.h"
#include "engine/telemetry/quantiles.h"
#include "engine/telemetry/run.h"
#include "engine/telemetry/snapshot.h"

namespace pitwall {

/// Thread-safe: one lock, held for microseconds. Writers: engine thread; output thread (token, finished);
/// whoever submits (arrived). Readers: any.
class Recorder {
 public:
  explicit Recorder(const Clock& clock);

  void arrived(const RequestRecord& request,
               std::vector<PromptPart> parts = {});  ///< live from now on; parts name where a prompt missed
  /// How much a request wants at most. `choices` of the call that it belongs to; 0: another one has said so.
  void asked(int choices, std::int64_t max_tokens);
  void admitted(const AdmissionEvent& event, Nanos at);
  void token(RequestId id, Nanos at, int tokens = 1);  ///< TTFT at the first, ITL after it
  void preempted(const PreemptionEvent& event, Nanos at);
  void finished(RequestId id, Nanos at, FinishReason reason, const std::string& error = {},
                FailureCause cause = FailureCause::none);
  void step(StepRecord record, std::span<const StepEvent> events = {}, int evicted_blocks = 0);
  /// `deferred` of those that wait: others may go before them.
  void queue_sizes(int running, int waiting, int deferred = 0);
  void setting_changed(const std::string& name, const std::string& from, const std::string& to, ChangedBy by);

  /// Closes the seconds that are over (call about once a second): fills history and returns the new rows for
  /// the run. `last`: nothing more will happen, the second in progress is closed too.
  RunRows roll(const LedgerSnapshot& ledger, bool last = false);

  /// Everything but state, model, run and ledger-derived block counts, which the engine fills in.
  Snapshot snapshot(const LedgerSnapshot& ledger) const;
  RequestRecord record_of(RequestId id) const;  ///< live or recently ended; empty id when unknown
  std::vector<StepRecord> last_steps(std::size_t n) const;
  std::vector<StepEvent> events_of(const StepRecord& step) const;  ///< those that the ring still has
  std::vector<RequestRecord> last_requests(std::size_t n) const;
  /// Counts over all ended requests since start; percentiles over the newest 65,536 that ended well.
  RunSummary summary() const;
  EngineTotals totals() const;

  /// Cumulative histogram counts for /metrics: bucket edges given, counts of values ≤ edge, then total count
  /// and sum.
  struct Histogram {
    std::vector<std::int64_t> cumulative;
    std::int64_t count = 0;
    double sum = 0;
  };
  enum class Measure {
    // Seconds.
    ttft,
    tpot,
    itl,
    e2e,
    queue,
    prefill,
    decode,
    inference,  ///< first scheduled → last token
    // Numbers.
    prompt_tokens,
    computed_tokens,  ///< of a prompt: not found in the prefix cache
    output_tokens,
    step_tokens,
    asked_n,
    asked_tokens,
  };
  static constexpr std::size_t kMeasures = 14;
  Histogram histogram(Measure measure) const;  ///< on edges(measure)
  static const std::vector<double>& edges(Measure measure);

  /// Since start, for /metrics alone.
  struct Sources {
    std::int64_t computed_prompt_tokens = 0, cached_prompt_tokens = 0;  ///< of prompts whose first token came
    std::int64_t recomputes = 0, swaps = 0;                             ///< preemptions
    std::array<std::int64_t, kFailureCauses> failures{};                ///< requests, by FailureCause
  };
  Sources sources() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  const Clock& clock_;
};

}  // namespace pitwall
