// SPDX-License-Identifier: GPL-3.0-or-later
// Scheduler: decides what each step computes. Committed, pending and scratch state: README.md is the
// contract.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cache/cache_key.h"
#include "engine/cache/kv_cache.h"
#include "engine/step/step_plan.h"
#include "engine/step/step_time_model.h"
#include "engine/telemetry/records.h"

namespace pitwall {

enum class SchedulingPolicy : std::uint8_t {
  fcfs,
  priority,       ///< lower numbers first, then arrival
  fair,           ///< tenants get equal shares of computed tokens
  length_grouped  ///< neighbours in the queue of similar prompt length go together
};
enum class Batching : std::uint8_t {
  continuous,
  fixed  ///< static: a batch starts and ends together, padded to its longest, KV reserved at max_model_len
};
enum class Preemption : std::uint8_t { automatic, recompute, swap };

/// All of it may change while serving (reconfigure), within what the executor was made for.
struct SchedulerConfig {
  int max_num_seqs = 32;              ///< sequences running at once; slots are those of the start
  int max_num_batched_tokens = 2048;  ///< tokens in one step
  int max_model_len = 2048;           ///< prompt + output of one sequence
  int max_logit_rows = 0;             ///< rows with logits in one step; 0 = max_num_seqs
  SchedulingPolicy policy = SchedulingPolicy::fcfs;
  Batching batching = Batching::continuous;
  Preemption preemption = Preemption::automatic;
  int long_prefill_token_threshold =
      0;  ///< prompts above are long; each gets at most so many tokens a step. 0 = off
  int max_long_partial_prefills = 0;  ///< long prompts being prefilled at once; 0 = any number
  double long_token_share = 1;        ///< (0, 1]: of a step's tokens, for all long prompts together
  double long_kv_share = 1;           ///< (0, 1]: of the pool's blocks, for all long requests together
  double cached_share = 0;            ///< [0, 1): of the pool's blocks, kept for cached prefixes at admission
  Nanos target_itl = 0;  ///< prefill chunks are cut so that steps with decodes stay within; 0 = off
  int rope_switch = 0;   ///< ModelSpec::rope_switch; of the start, reconfigure() keeps it
  Nanos max_wait = 30 * kNanosPerSecond;  ///< whoever waits longer goes before every policy, oldest first

  /// Each number within its bounds; the error names the setting.
  Result<void> check() const;
};

/// What a client asked, ready for the engine.
struct Request {
  RequestId id;
  std::string label;
  std::vector<TokenId> prompt;  ///< at least one token
  SamplingParams sampling;
  Nanos arrival = 0;
  int priority = 0;    ///< lower first
  std::string tenant;  ///< for policy fair
  CacheKey cache_key;
};

struct TokenEvent {
  RequestId request;
  TokenId token = 0;
  float logprob = 0;
  bool end = false;                               ///< an end token: counted as output, not shown
  std::optional<PositionLogprobs> logprobs = {};  ///< where the request asked
};

struct FinishEvent {
  RequestId request;
  FinishReason reason = FinishReason::none;
  std::string error;
  FailureCause cause = FailureCause::none;  ///< with reason error
};

/// What a commit made true.
struct Committed {
  std::vector<TokenEvent> tokens;
  std::vector<FinishEvent> finished;
  std::vector<SliceLogits> logits;
  std::vector<PromptLogprobs> prompt_logprobs;  ///< each position of a prompt once, in order
  std::vector<PreemptionEvent> preempted;
};

/// Engine thread only. At most two steps in flight: plan(n+1) and launched() may come before commit(n).
class Scheduler {
 public:
  /// `config` bounds later ones: slots, tokens and logit rows of a step, max_model_len. `prior`, not owned,
  /// may be null: what steps are expected to take until enough of them have been measured.
  Scheduler(const SchedulerConfig& config, KvCache& cache, const StepTimeModel* prior = nullptr);
  ~Scheduler();

  /// Takes effect with the next plan; running sequences above a lower max_num_seqs go on to their end.
  /// Between plans only. Refuses what passes the first configuration's bounds, naming the setting; nothing
  /// changes then.
  Result<void> reconfigure(const SchedulerConfig& config);
  const SchedulerConfig& config() const;

  /// Queues the request. One that can never fit is refused at once with the numbers: prompt over
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
  std::vector<AdmissionEvent> take_admissions();  ///< of the plans launched since the last call
  /// Preemptions outside a commit, when nothing was in flight.
  std::vector<PreemptionEvent> take_preempted();

  int running() const;
  int waiting() const;
  /// Of those that wait: passed over by the last plan although there was room, for the prefix that another
  /// computes or by a limit on long prompts.
  int deferred() const;
  int in_flight() const;  ///< launched, not committed
  bool idle() const;      ///< nothing waits, runs or is in flight
  std::int64_t preemptions() const;

  /// Measured from the committed steps; answers from `prior` until it knows better.
  const StepTimeModel& step_time() const;

  /// All invariants (README.md); the strict checker calls it after each commit in debug and test builds.
  Result<void> check() const;

  struct State;  ///< private to this folder

 private:
  std::unique_ptr<State> state_;
};

}  // namespace pitwall
