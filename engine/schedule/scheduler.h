// SPDX-License-Identifier: GPL-3.0-or-later
// Scheduler: decides what each step computes. Committed, pending and scratch state: README.md is the
// contract.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cache/block_pool.h"
#include "engine/step/step_plan.h"
#include "engine/telemetry/records.h"

namespace pitwall {

struct SchedulerConfig {
  int max_num_seqs = 32;              ///< sequences running at once = slots
  int max_num_batched_tokens = 2048;  ///< tokens in one step
  int max_model_len = 2048;           ///< prompt + output of one sequence
  int max_logit_rows = 0;             ///< rows with logits in one step; 0 = max_num_seqs
};

/// What a client asked, ready for the engine.
struct Request {
  RequestId id;
  std::string label;
  std::vector<TokenId> prompt;  ///< at least one token
  SamplingParams sampling;
  Nanos arrival = 0;
};

struct TokenEvent {
  RequestId request;
  TokenId token = 0;
  float logprob = 0;
  bool end = false;  ///< an end token: counted as output, not shown
};

struct FinishEvent {
  RequestId request;
  FinishReason reason = FinishReason::none;
  std::string error;
};

/// What a commit made true.
struct Committed {
  std::vector<TokenEvent> tokens;
  std::vector<FinishEvent> finished;
  std::vector<SliceLogits> logits;
  std::vector<RequestId> preempted;
};

/// Engine thread only. At most two steps in flight: plan(n+1) and launched() may come before commit(n).
class Scheduler {
 public:
  Scheduler(const SchedulerConfig& config, BlockPool& pool);
  ~Scheduler();

  /// Queues the request (fcfs). One that can never fit is refused at once with the numbers: prompt over
  /// max_model_len, or more blocks than the pool has.
  Result<void> add(Request request);

  /// Frees a request wherever it stands; its FinishEvent comes with the next commit or take_finished().
  /// Unknown or ended ids are ignored. `reason`: cancelled, or stop for a stop-string hit (later tokens are
  /// not emitted).
  void finish(RequestId id, FinishReason reason, const std::string& error = {});

  /// The output thread has handled `tokens` of the request's output. A request with stop strings is planned
  /// only while at most 2 of its tokens (in flight included) are not handled yet.
  void acknowledge(RequestId id, int tokens);

  /// A whole plan, or nothing when there is no work that can run now. Writes scratch only; a plan that is not
  /// launched must be dropped with discard().
  std::optional<StepPlan> plan(Nanos now);
  void launched();  ///< scratch → pending
  void discard();   ///< scratch is forgotten: state is as before plan()

  /// The oldest pending step is over. On result.error pending steps are dropped and the requests of that step
  /// end with the error; the result of a later step that was in flight is thrown away by its own commit.
  Committed commit(const StepResult& result, Nanos now);

  /// Finish events of requests that ended outside a commit (cancelled while waiting, refused).
  std::vector<FinishEvent> take_finished();
  std::vector<RequestId>
  take_scheduled();  ///< requests that were planned for the first time since the last call

  int running() const;
  int waiting() const;
  int in_flight() const;  ///< launched, not committed
  bool idle() const;      ///< nothing waits, runs or is in flight
  std::int64_t preemptions() const;

  /// All invariants (README.md); the strict checker calls it after each commit in debug and test builds.
  Result<void> check() const;

  struct State;  ///< private to this folder

 private:
  std::unique_ptr<State> state_;
};

}  // namespace pitwall
