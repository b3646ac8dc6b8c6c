// SPDX-License-Identifier: GPL-3.0-or-later
// EngineLoop: the engine thread. plan n+1, launch n+1, collect n, commit n, record n; asleep when there is
// nothing to do.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <variant>
#include <vector>

#include "engine/execute/executor.h"
#include "engine/schedule/scheduler.h"
#include "engine/serve/output_listeners.h"
#include "engine/serve/output_thread.h"
#include "engine/serve/step_pump.h"
#include "engine/telemetry/recorder.h"

namespace pitwall {

/// Not owned; all outlive the loop.
struct EngineParts {
  SchedulerConfig config;
  KvCache& cache;
  Executor& executor;
  Ledger& ledger;
  Bytes bytes_per_block;
  Recorder& recorder;
  const Clock& clock;
  const OutputListeners& listeners;
  bool strict_checks;
};

/// Methods: any thread.
class EngineLoop {
 public:
  EngineLoop(const EngineParts& parts, std::shared_ptr<const Tokenizer> tokenizer);
  ~EngineLoop();  ///< stop(0)

  /// Error::busy once the engine stops, or (param "max-waiting") where so many wait, unless that is 0;
  /// otherwise the sink's last event comes for certain.
  Result<void> submit(Request request, const RequestRecord& record, std::vector<PromptPart> parts,
                      OutputSink sink, int max_waiting = 0);
  void cancel(RequestId id, std::string reason);

  /// Runs `task` on the engine thread between two steps and returns its result; Error::busy once the engine
  /// has ended. Not from an OutputSink.
  using Task = std::function<Result<void>(Scheduler&, KvCache&)>;
  Result<void> ask(Task task);
  int max_num_seqs() const { return max_num_seqs_.load(std::memory_order_relaxed); }  ///< at this moment

  /// Refuses new requests, gives the others `grace`, abandons what is left, joins both threads. Idempotent;
  /// the first call's grace counts.
  void stop(Nanos grace);
  /// Ends without waiting for steps under way: who still waits is cancelled. Does not block; stop() follows.
  void abandon();
  std::optional<Error> failure() const;  ///< a fault of the engine itself: it has ended all requests

 private:
  struct Finish {
    RequestId id;
    FinishReason reason;
    std::string error;
  };
  struct Acknowledge {
    RequestId id;
    int tokens;
  };
  struct Question {
    Task task;
    std::promise<Result<void>> answer;
  };
  using Command = std::variant<Request, Finish, Acknowledge, Question>;

  void send(Command command);
  bool queue_is_full(int max_waiting) const;

  // Engine thread only.
  void run();
  bool take_commands();
  void apply(Command& command);
  void leave();
  void collect_oldest();
  void pass_on(OutputBatch batch);
  void publish();
  void fail(Error error);

  EngineParts parts_;
  Scheduler scheduler_;
  StepPump pump_;
  std::unordered_set<RequestId> live_;  // accepted, not ended
  bool worked_ = false;                 // the last round launched or committed something
  std::atomic<int> max_num_seqs_;
  std::atomic<int> accepted_{0};              // not ended
  std::atomic<int> running_{0}, waiting_{0};  // as last published

  mutable std::mutex mutex_;
  std::condition_variable wake_, left_;
  std::vector<Command> commands_;
  std::optional<std::chrono::steady_clock::time_point> stop_deadline_;
  bool abandoned_ = false, ended_ = false;
  std::optional<Error> failure_;

  std::mutex joining_;
  std::optional<OutputThread> output_;
  std::thread thread_;
};

}  // namespace pitwall
