// SPDX-License-Identifier: GPL-3.0-or-later
// What a Recorder holds: rings, made at their full size, and what is handed over or looked back at within
// minutes. One lock guards it all.
#pragma once
#include <array>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/telemetry/recorder.h"
#include "engine/telemetry/ring.h"
#include "engine/telemetry/run_statistics.h"

namespace pitwall {

/// The newest `limit` entries of what is handed over or shrinks by itself: a Ring would keep its peak.
template <class T>
void push_bounded(std::deque<T>& entries, T value, std::size_t limit) {
  entries.push_back(std::move(value));
  if (entries.size() > limit) entries.pop_front();
}

inline constexpr Nanos kSecond = kNanosPerSecond;
inline constexpr std::int64_t kAveragingSeconds = 10;  ///< window of a SecondRecord's percentiles
inline constexpr std::int64_t kSnapshotSeconds = 120;  ///< window of a Snapshot's percentiles
inline constexpr std::size_t kHistorySeconds = 600;
inline constexpr std::size_t kKeptSteps = 8192, kSnapshotSteps = 256;
inline constexpr std::size_t kKeptRequests = 4096, kSnapshotRequests = 200;
inline constexpr std::size_t kSummedRequests = std::size_t{1}
                                               << 16;  ///< the newest, in the run's percentiles
inline constexpr std::size_t kKeptEvents = 16384, kKeptLookups = 1000, kKeptChanges = 256;
inline constexpr std::size_t kUnwrittenRequests = 65536;  ///< ended since the last roll()

/// Tokens over the last two seconds, in slots of 20 ms: exact to one slot.
class RateWindow {
 public:
  static constexpr Nanos kSlot = kSecond / 50, kWindow = 2 * kSecond;

  void add(Nanos at, std::int64_t tokens);
  double per_second(Nanos now) const;

 private:
  static constexpr std::size_t kSlots = kWindow / kSlot;
  struct Slot {
    std::int64_t index = -1, tokens = 0;
  };
  std::array<Slot, kSlots> slots_{};
};

/// What happened in one second, by when it happened.
struct SecondTally {
  LatencySketches latency;
  std::int64_t output_tokens = 0, prompt_tokens = 0;
  std::int32_t preemptions = 0, finished = 0;
  std::int64_t prefix_query_tokens = 0, prefix_hit_tokens = 0;
};

struct HistogramCounts {
  std::vector<std::int64_t> per_edge;  // values in (edge before, edge]
  std::int64_t count = 0;
  double sum = 0;
};

struct Recorder::State {
  struct Live {
    RequestRecord record;
    bool scheduled = false;
    std::vector<PromptPart> parts;
    std::optional<Nanos> preempted_at;  // while it waits to come back
    struct Preempted {
      Nanos from, to;
    };
    std::vector<Preempted> preemptions;  // over, but no token has followed yet

    /// Takes out those that were over at `at`, and says how long they were.
    Nanos preempted_until(Nanos at);
  };
  struct PrefixLookup {
    std::int32_t query_tokens, hit_tokens;
  };

  mutable std::mutex mutex;
  Nanos origin = 0, origin_utc = 0;    // of second 0
  Nanos utc_ahead = 0;                 // of the steady clock
  std::deque<SecondTally> tallies{1};  // the last one is the second in progress
  std::int64_t open_second = 0;        // its index
  std::int64_t next_to_roll = 0;       // the first second that roll() has not returned
  Ring<SecondRecord> history{kHistorySeconds};
  RateWindow output_rate, prompt_rate;
  std::array<HistogramCounts, kMeasures> histograms;  // by Measure
  Sources sources;

  std::unordered_map<RequestId, Live> live;
  Ring<RequestRecord> ended{kKeptRequests};
  std::deque<RequestRecord> unwritten;
  Ring<StepRecord> steps{kKeptSteps};
  Ring<StepEvent> events{kKeptEvents};
  std::uint32_t next_event = 0;
  std::vector<SettingChange> unwritten_changes;  // since the last roll()
  std::int64_t rolled_steps = 0;                 // of totals.steps, at the last roll()
  struct LapChange {
    SettingChange change;
    int lap = 0;         // that it belongs to
    bool first = false;  // that it begins
  };
  Ring<LapChange> changes{kKeptChanges};
  int lap = 1;                                // in progress
  Nanos lap_utc = 0;                          // when it began
  std::deque<std::int64_t> lap_starts;        // first whole second after each change
  Ring<PrefixLookup> lookups{kKeptLookups};   // of the last requests scheduled
  RunStatistics statistics{kSummedRequests};  // of ended requests
  QuantileSketch itl;                         // every gap of the seconds that were rolled, ms
  EngineTotals totals;
  std::int32_t running = 0, waiting = 0, deferred = 0;

  std::vector<StepRecord> take_new_steps();  // of those that the run keeps
  /// UTC that never goes back: it follows the clock where that has jumped ahead, by being set or after the
  /// machine has slept, and goes on by the steady one where that was set back.
  Nanos utc_of(Nanos steady, const Clock& clock);
  SecondTally& tally_at(Nanos at);
  void advance_to(Nanos at);
  /// Of the seconds that end with `last_second`, back to the last change of a setting at most.
  LatencySketches merged(std::int64_t last_second, std::int64_t seconds) const;
  /// Those whose lap is there from its beginning.
  void show_changes(Snapshot& snapshot) const;
  void count(Measure measure, double value, std::int64_t count = 1);
  void observe_ended(const RequestRecord& record, SecondTally& tally);
  void observe(Measure measure, QuantileSketch* sketch, Nanos duration, std::int64_t count = 1);
  std::vector<RequestRecord> newest_requests(std::size_t ended_limit) const;
};

}  // namespace pitwall
