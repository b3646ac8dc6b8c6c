// SPDX-License-Identifier: GPL-3.0-or-later
// BenchRun: one play of a load as a stored run of kind "bench", written while it goes on: a killed program
// loses at most the last second.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/bench/load.h"
#include "engine/serve/engine.h"

namespace pitwall {

/// What is known of a run against a server elsewhere when it begins: this machine and build, the model's
/// name.
RunHeader client_run_header(const std::string& model_name);

/// Keeps what an engine says of itself when it begins a run, and nothing else: given as EngineOptions::runs,
/// it yields the header for the runs of a load.
class HeaderSink final : public RunSink {
 public:
  Result<RunId> begin(const RunHeader& header) override {
    header_ = header;
    return RunId{};
  }
  Result<void> append(RunId, const RunRows&) override { return {}; }
  Result<void> end(RunId, const RunSummary&) override { return {}; }
  const RunHeader& header() const { return header_; }

 private:
  RunHeader header_;
};

class BenchRun final : public LoadListener {
 public:
  /// `engine` is the one in this process, or null. Neither is owned; both outlive this.
  static Result<std::unique_ptr<BenchRun>> begin(RunSink& sink, RunHeader header, Engine* engine);
  ~BenchRun() override;  ///< a run that was not ended is marked failed

  RunId id() const { return id_; }
  void sent(const StreamRecord& record) override;
  void output(const StreamRecord& record, const ChunkTime& chunk) override;
  void ended(const StreamRecord& record) override;

  Result<void> end(RunStatus status = RunStatus::finished, const std::string& error = {});

 private:
  BenchRun(RunSink& sink, RunId id, Nanos start_utc, Engine* engine);
  void loop();
  void write(bool last);
  std::vector<SecondRecord> new_seconds(bool last);
  std::vector<StepRecord> new_steps();

  RunSink& sink_;
  RunId id_;
  Nanos start_utc_;
  Engine* engine_;
  RealClock clock_;
  EngineTotals totals_before_;  // of the engine
  Recorder seen_;               // the client's view, for the seconds of a run over HTTP
  std::vector<RequestRecord> all_;
  QuantileSketch all_itl_;
  Nanos last_second_ = 0;
  Nanos last_step_ = 0;  // when the newest written step was launched
  std::size_t steps_kept_ = 0;
  Result<void> written_;  // the first failure of the sink

  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::vector<RequestRecord> fresh_;  // under the mutex: ended, not written yet
  QuantileSketch fresh_itl_;          // under the mutex: of their gaps
  std::thread thread_;
};

}  // namespace pitwall
