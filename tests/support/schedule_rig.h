// SPDX-License-Identifier: GPL-3.0-or-later
// Scheduler, cache and fake executor in lock step on a virtual time; one step is launched ahead, as the
// engine does. After each commit the strict checker runs, and each plan is held against the rules every plan
// obeys.
#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/schedule/scheduler.h"
#include "tests/support/fake_executor.h"

namespace pitwall::test {

struct Client {
  Request request;
  std::vector<TokenId> tokens;
  std::int32_t prompt_logprobs = 0;  ///< prompt tokens whose logprobs came
  std::optional<FinishEvent> end;
  std::vector<AdmissionEvent> admissions;
  std::int32_t computed = 0;  ///< rows of prompt tokens before its first preemption
  int preemptions = 0;
  int first_token_step = -1;  ///< number of the step that gave it
  bool waiting = true;
  Nanos since = 0;  ///< began to wait, earlier waits counted in
};

struct RigOptions {
  KvCacheConfig cache{};
  int vocabulary = 997;
  const StepTimeModel* prior = nullptr;
};

class ScheduleRig {
 public:
  ScheduleRig(const SchedulerConfig& config, const RigOptions& options);

  Result<void> add(Request request);
  bool launch();   ///< false when nothing can run
  bool discard();  ///< plans, drops the plan, and checks that nothing changed; false when nothing can run
  void commit(std::optional<Error> error = {});
  void run();  ///< until idle
  void take_events();

  const Client& client(std::uint64_t id) const { return clients.at(id); }
  const std::vector<TokenId>& tokens(std::uint64_t id) const { return clients.at(id).tokens; }
  int tokens_of(std::uint64_t id) const { return static_cast<int>(tokens(id).size()); }
  /// What the model writes for it.
  std::vector<TokenId> expected(std::uint64_t id, int count) const;
  std::string problem() const;  ///< the first fault, or ""

  KvCache cache;
  Scheduler scheduler;
  FakeExecutor executor;
  int vocabulary;
  Nanos now = 0;
  Nanos step_time = 0;  ///< `now` moves on by it with each commit
  Nanos swap_time = 0;  ///< of one block, in results
  std::vector<StepPlan> plans;
  std::vector<PreemptionEvent> preemptions;
  std::vector<std::size_t> preempted_after;  ///< for each of them, plans that had been launched by then
  std::map<std::uint64_t, Client> clients;

 private:
  struct Flight {
    StepResult result;
    std::map<std::uint64_t, std::set<BlockId>> blocks;  // by request, of the tables of its slices
  };
  void check_plan(const StepPlan& plan);
  void check_blocks(const StepPlan& plan);
  void check_order(const StepPlan& plan);
  void take_token(const TokenEvent& event, std::uint64_t step);
  void take_prompt_logprobs(const PromptLogprobs& event);
  void note(const std::vector<PreemptionEvent>& events);
  void fail(std::string what) { problems_.push_back(std::move(what)); }

  std::deque<Flight> in_flight_;
  std::vector<std::string> problems_;
};

/// A request with a prompt of `length` tokens that starts with `shared` tokens of the family.
Request make_request(std::uint64_t id, int length, int max_tokens, int shared = 0, int family = 0,
                     int vocabulary = 997);

}  // namespace pitwall::test
