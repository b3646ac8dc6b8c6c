// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/soak.h"

#include <algorithm>
#include <condition_variable>

#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace pitwall {

namespace {

/// Requests that have not ended; sinks and the loop below share it.
class Outstanding {
 public:
  void started() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  void ended(const OutputEvent& event) {
    const std::lock_guard lock(mutex_);
    --count_;
    if (event.reason == FinishReason::cancelled) ++cancelled_;
    if (event.reason == FinishReason::error && ++failed_ == 1) problem_ = event.error.text();
    changed_.notify_all();
  }
  void wait_below(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ < count; });
  }
  void report(SoakResult& result) const {
    const std::lock_guard lock(mutex_);
    result.cancelled = cancelled_;
    result.failed = failed_;
    result.problem = problem_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  std::int64_t cancelled_ = 0, failed_ = 0;
  std::string problem_;
};

class Requests {
 public:
  Requests(const SoakLoad& load, int vocabulary) : load_(load), vocabulary_(vocabulary), random_(load.seed) {}

  GenerationRequest next() {
    GenerationRequest request;
    // A few beginnings are shared, so that the prefix cache has work.
    std::mt19937_64 beginning(below(8));
    const int shared = below(2) == 0 ? 0 : below(load_.most_prompt / 2);
    for (int i = 0; i < shared; ++i) request.prompt.push_back(token(beginning()));
    const int own = 1 + below(load_.most_prompt - shared);
    for (int i = 0; i < own; ++i) request.prompt.push_back(token(random_()));
    request.sampling.max_tokens = 1 + below(load_.most_output);
    request.sampling.choice.temperature = below(3) == 0 ? 0.0f : 0.8f;
    request.sampling.choice.top_k = below(2) * 20;
    request.sampling.choice.top_p = below(2) == 0 ? 1.0f : 0.9f;
    request.sampling.choice.seed = random_();
    request.priority = below(3);
    request.ignore_eos = true;
    request.label = "soak";
    return request;
  }
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

 private:
  TokenId token(std::uint64_t number) const {
    return static_cast<TokenId>(number % static_cast<std::uint64_t>(vocabulary_));
  }
  const SoakLoad& load_;
  const int vocabulary_;
  std::mt19937_64 random_;
};

std::string leftovers(const Engine& engine) {
  const auto now = engine.snapshot();
  const LedgerSnapshot& ledger = now->ledger;
  if (now->running == 0 && now->waiting == 0 && ledger.kv_used == 0 && ledger.kv_quarantined == 0) return {};
  return std::to_string(now->running) + " requests run, " + std::to_string(now->waiting) + " wait, " +
         format_bytes(ledger.kv_used + ledger.kv_quarantined) + " of KV are held after all have ended";
}

/// The snapshot is up to a tenth of a second old: what is held must go within a while.
std::string lasting_leftovers(const Engine& engine) {
  std::string left;
  const RealClock clock;
  for (const Nanos end = clock.now() + 5 * kNanosPerSecond; clock.now() < end;) {
    left = leftovers(engine);
    if (left.empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return left;
}

}  // namespace

SoakResult run_soak(Engine& engine, const SoakLoad& load) {
  const auto outstanding = std::make_shared<Outstanding>();
  Requests requests(load, engine.model().spec().vocabulary);
  std::vector<RequestId> recent;
  SoakResult result;
  const LedgerSnapshot before = engine.snapshot()->ledger;
  const auto steps = [&engine] {
    const auto last = engine.recorder().last_steps(1);
    return last.empty() ? 0 : static_cast<std::int64_t>(last.back().step);
  };
  const std::int64_t first = steps();
  while (steps() - first < load.steps && !engine.failure()) {
    outstanding->wait_below(load.outstanding);
    outstanding->started();
    auto id = engine.submit(requests.next(), [outstanding](OutputEvent&& event) {
      if (event.finished) outstanding->ended(event);
    });
    if (!id) {
      result.problem = id.error().text();
      return result;
    }
    ++result.requests;
    recent.push_back(*id);
    if (requests.below(5) == 0)
      engine.cancel(recent[static_cast<std::size_t>(
          requests.below(static_cast<int>(std::min<std::size_t>(recent.size(), 200))))]);
    if (recent.size() > 200) recent.erase(recent.begin(), recent.begin() + 100);
  }
  outstanding->wait_below(1);
  outstanding->report(result);
  result.steps = steps() - first;
  const EngineTotals totals = engine.recorder().totals();
  result.preemptions = totals.preemptions;
  result.swapped_tokens = totals.swapped_tokens;
  result.recomputed_tokens = totals.recomputed_tokens;
  if (result.problem.empty()) result.problem = lasting_leftovers(engine);
  if (const auto failure = engine.failure()) result.problem = failure->text();
  const LedgerSnapshot after = engine.snapshot()->ledger;
  result.accounted_before = before.accounted();
  result.accounted_after = after.accounted();
  result.measured_before = before.measured;
  result.measured_after = after.measured;
  if (result.problem.empty() && result.accounted_after != result.accounted_before) {
    result.problem = "The ledger has " + format_bytes(result.accounted_after) + " booked, " +
                     format_bytes(result.accounted_before) + " before";
  }
  return result;
}

}  // namespace pitwall
