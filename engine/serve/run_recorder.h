// SPDX-License-Identifier: GPL-3.0-or-later
// RunRecorder: closes the Recorder's seconds and writes the run, on a thread of its own: a slow or full disk
// never delays a token.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "engine/telemetry/recorder.h"

namespace pitwall {

class RunRecorder {
 public:
  static constexpr std::size_t kMostKept = 100'000;  ///< rows, some 40 MB: beyond them the run is given up

  /// Begins the run where a sink is given. While the sink fails, as on a full disk, what happens is kept, up
  /// to kMostKept rows, and written once it answers again; a run that ends before is cut off and says how
  /// much is missing. The recorder's history is kept either way. Nothing given is owned but the header; all
  /// outlive this.
  RunRecorder(Recorder& recorder, const Ledger& ledger, RunSink* sink, RunHeader header);
  ~RunRecorder();  ///< end()

  RunId run() const { return {run_.load()}; }  ///< none while nothing can be recorded
  void end(RunStatus status = RunStatus::finished, const std::string& error = {});  ///< idempotent

 private:
  void loop();
  void roll(bool last);
  Result<void> write();
  void try_to_write();
  void put_off(const Error& error);
  std::string what_is_missing(Nanos end_utc) const;

  Recorder& recorder_;
  const Ledger& ledger_;
  RunSink* sink_;  // null: not recorded, or the run is gone from it
  const RunHeader header_;
  RunId begun_;
  RunRows kept_;           // not written yet
  bool given_up_ = false;  // more was kept than may be: only the end is written
  std::string failing_;    // why nothing can be written; empty while it can
  Nanos written_until_;    // UTC
  std::atomic<std::int64_t> run_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread thread_;
};

/// What is known of a run when it begins, machine and build included.
struct LoadedEngine;
struct EngineOptions;
RunHeader run_header(const EngineOptions& options, const LoadedEngine& loaded, const Ledger& ledger,
                     Nanos utc);

}  // namespace pitwall
