// SPDX-License-Identifier: GPL-3.0-or-later
// A load: a trace that is played against something that answers, and what came of it. The players are
// http_load.h and engine_load.h; both keep to the same Dispatcher.
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "engine/bench/stream_record.h"
#include "engine/bench/trace.h"
#include "engine/telemetry/quantiles.h"

namespace pitwall {

/// Hears of requests while they run. Calls come from the player's threads, in order for each request; they
/// must be quick.
class LoadListener {
 public:
  virtual ~LoadListener() = default;
  virtual void sent(const StreamRecord& record) = 0;
  virtual void output(const StreamRecord& record, const ChunkTime& chunk) = 0;
  virtual void ended(const StreamRecord& record) = 0;
};

struct PlayProgress {
  std::size_t total = 0, sent = 0, ended = 0, failed = 0;
  std::int64_t chunks = 0;  ///< with output
};

struct Load {
  Trace trace;
  std::optional<int> max_concurrency;
  const std::atomic<bool>* cancel = nullptr;                      ///< ends all requests within 50 ms
  std::function<void(const PlayProgress& progress)> on_progress;  ///< now and then, on the playing thread
  LoadListener* listener = nullptr;                               ///< not owned; may be null
};

/// How far the generator itself is in the way.
struct ClientLag {
  Summary loop_delay_ms;  ///< how late a timer of each 10 ms was heard; n = 0 where there is no event loop
  Summary slip_ms;        ///< from when a request could be sent to when it was
  double cpu_s = 0;       ///< of the playing thread
};

/// What the server's own counters say of a load. A number that is not known is absent, never 0.
struct ServerSide {
  std::optional<std::int64_t> query_tokens, hit_tokens, preemptions;
  std::optional<std::array<std::int64_t, kMissReasonCount>> misses;  ///< requests, by reason
  std::optional<Bytes> peak_kv_bytes;                                ///< that requests held
  std::optional<double> peak_kv_usage;                               ///< of the pool, 0–1
  int reads = 0, gaps = 0;                                           ///< of its counters; those that failed
};

struct PlayedLoad {
  std::vector<StreamRecord> records;  ///< in the trace's order; never sent: sent = 0, cancelled
  Nanos start = 0, end = 0;
  Nanos start_utc = 0;
  int peak_live = 0;
  ClientLag lag;
  ServerSide server;
};

// For players.
std::vector<StreamRecord> planned_records(const Trace& trace);  ///< one a request, nothing sent yet
Nanos thread_cpu_time();                                        ///< of the calling thread
std::chrono::steady_clock::time_point steady_time(Nanos at);

}  // namespace pitwall
