// SPDX-License-Identifier: GPL-3.0-or-later
// The real CPU engine on one model: static against continuous batching, and what rare long prompts do to
// running chats, with and without limits. Everything that is compared is measured in the same run. Usage:
// serving_bench MODEL [threads]
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <random>
#include <string>

#include "engine/telemetry/quantiles.h"
#include "tests/support/engine_runner.h"

using namespace pitwall;
using namespace pitwall::test;

namespace {

struct Outcome {
  double output_tokens_per_s = 0;
  Bytes peak_kv = 0;
  std::int64_t padding = 0, computed = 0;
};

std::vector<TokenId> prompt_of(int tokens, std::mt19937& random) {
  std::vector<TokenId> prompt;
  for (int i = 0; i < tokens; ++i) prompt.push_back(1000 + static_cast<TokenId>(random() % 40000));
  return prompt;
}

/// Lengths as chats have them: most are short, a few are long.
std::vector<GenerationRequest> mixed_workload() {
  std::mt19937 random(20261129);
  std::lognormal_distribution<double> prompt(4.0, 0.7), output(3.6, 0.9);
  std::vector<GenerationRequest> requests;
  for (int i = 0; i < 32; ++i) {
    const int in = std::clamp(static_cast<int>(prompt(random)), 8, 300);
    const int out = std::clamp(static_cast<int>(output(random)), 4, 200);
    requests.push_back(greedy_request(prompt_of(in, random), out));
  }
  return requests;
}

Outcome run_batching(const std::string& model, const std::string& threads, const char* batching) {
  const auto engine = start_engine(model, {{"threads", threads},
                                           {"batching", batching},
                                           {"max-num-seqs", "8"},
                                           {"max-model-len", "512"},
                                           {"enable-prefix-caching", "false"}});
  const Bytes block = engine->snapshot()->ledger.of(Category::kv) / engine->snapshot()->kv_blocks;
  const auto replies = run_requests(*engine, mixed_workload());
  Outcome outcome;
  Nanos first = replies[0].last.record.arrival, last = 0;
  std::int64_t tokens = 0;
  for (const Reply& reply : replies) {
    first = std::min(first, reply.last.record.arrival);
    last = std::max(last, reply.last.record.last_token);
    tokens += reply.last.record.output_tokens;
  }
  outcome.output_tokens_per_s =
      static_cast<double>(tokens) * kNanosPerSecond / static_cast<double>(last - first);
  for (const StepRecord& step : engine->recorder().last_steps(100'000)) {
    outcome.peak_kv = std::max(outcome.peak_kv, step.kv_used_blocks * block);
    outcome.padding += step.padding_tokens;
    outcome.computed += step.padding_tokens + step.prefill_tokens + step.decode_tokens;
  }
  return outcome;
}

void compare_batching(const std::string& model, const std::string& threads) {
  const Outcome fixed = run_batching(model, threads, "static");
  const Outcome continuous = run_batching(model, threads, "continuous");
  std::printf("32 requests of mixed lengths, 8 at once\n%-12s %14s %12s %10s\n", "batching", "output tok/s",
              "peak KV", "padding");
  const auto row = [](const char* name, const Outcome& o) {
    std::printf("%-12s %14.1f %12s %9.1f%%\n", name, o.output_tokens_per_s, format_bytes(o.peak_kv).c_str(),
                100.0 * static_cast<double>(o.padding) / static_cast<double>(o.computed));
  };
  row("static", fixed);
  row("continuous", continuous);
  std::printf("continuous / static: throughput %.2f, peak KV %.2f\n\n",
              continuous.output_tokens_per_s / fixed.output_tokens_per_s,
              static_cast<double>(continuous.peak_kv) / static_cast<double>(fixed.peak_kv));
}

struct Chats {
  double p50 = 0, p99 = 0, worst = 0, tokens_per_s = 0, long_ttft = 0;
};

/// Eight chats of 500 tokens; after 100, 1,200 and 2,300 of their tokens a prompt of 1,500 tokens arrives.
Chats run_chats(const std::string& model, const std::string& threads, bool long_prompts,
                SettingList settings) {
  settings.insert(settings.end(), {{"threads", threads},
                                   {"max-model-len", "2048"},
                                   {"max-num-seqs", "12"},
                                   {"kv-cache-memory-bytes", "512MiB"},
                                   {"enable-prefix-caching", "false"}});
  const auto engine = start_engine(model, settings);
  std::mt19937 random(7);
  std::mutex mutex;
  std::condition_variable changed;
  int tokens = 0, ended = 0, wanted = 8;
  std::vector<double> gaps, long_ttft;
  std::vector<Nanos> last(8, 0);
  Nanos begin = 0, end = 0;
  const RealClock clock;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const auto id = engine->submit(greedy_request(prompt_of(40, random), 500), [&, i](OutputEvent&& event) {
      const std::lock_guard lock(mutex);
      const Nanos now = clock.now();
      if (!event.tokens.empty()) {
        if (last[i] > 0) gaps.push_back(static_cast<double>(now - last[i]) / kNanosPerMs);
        if (begin == 0) begin = now;
        last[i] = end = now;
        tokens += static_cast<int>(event.tokens.size());
      }
      ended += event.finished ? 1 : 0;
      changed.notify_all();
    });
    if (!id) std::abort();
  }
  for (const int after : {100, 1200, 2300}) {
    if (!long_prompts) break;
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return tokens >= after; });
    ++wanted;
    lock.unlock();
    const auto id = engine->submit(greedy_request(prompt_of(1500, random), 1), [&](OutputEvent&& event) {
      const std::lock_guard guard(mutex);
      if (!event.finished) return;
      long_ttft.push_back(event.record.ttft_ms());
      ++ended;
      changed.notify_all();
    });
    if (!id) std::abort();
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return ended == wanted; });
  std::sort(gaps.begin(), gaps.end());
  Chats result;
  result.p50 = quantile_sorted(gaps, 0.5);
  result.p99 = quantile_sorted(gaps, 0.99);
  result.worst = gaps.back();
  result.tokens_per_s = tokens * static_cast<double>(kNanosPerSecond) / static_cast<double>(end - begin);
  if (!long_ttft.empty()) result.long_ttft = *std::max_element(long_ttft.begin(), long_ttft.end());
  return result;
}

void compare_long_prompts(const std::string& model, const std::string& threads) {
  const Chats alone = run_chats(model, threads, false, {});
  const double target = 2 * alone.p50;
  std::printf("8 chats, 3 prompts of 1,500 tokens among them\n%-34s %8s %9s %9s %10s %14s\n", "", "ITL p50",
              "ITL p99", "worst gap", "chat tok/s", "long TTFT, ms");
  const auto row = [](const std::string& name, const Chats& c) {
    std::printf("%-34s %8.1f %9.1f %9.1f %10.1f %14.0f\n", name.c_str(), c.p50, c.p99, c.worst,
                c.tokens_per_s, c.long_ttft);
  };
  row("no long prompts", alone);
  row("fcfs", run_chats(model, threads, true, {}));
  row("long prompts limited to 128 a step",
      run_chats(model, threads, true,
                {{"long-prefill-token-threshold", "128"}, {"max-long-partial-prefills", "1"}}));
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", target);
  const Chats held = run_chats(model, threads, true, {{"target-itl-ms", text}});
  row("target-itl-ms " + std::string(text), held);
  std::printf("ITL p99 / target: %.2f\n", held.p99 / target);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: serving_bench MODEL [threads]\n");
    return 2;
  }
  const std::string model = argv[1], threads = argc > 2 ? argv[2] : "auto";
  compare_batching(model, threads);
  compare_long_prompts(model, threads);
}
