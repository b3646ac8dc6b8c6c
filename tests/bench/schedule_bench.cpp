// SPDX-License-Identifier: GPL-3.0-or-later
// Times the scheduler and the cache: plan and commit against running sequences, lookup and eviction against
// cached blocks. No term may grow with the pool. Build it in release, without PITWALL_CHECKS.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "engine/schedule/scheduler.h"

using namespace pitwall;

namespace {

constexpr int kBlockSize = 32;

class Timer {
 public:
  double ns() const {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

std::vector<TokenId> random_prompt(std::mt19937& random, int length) {
  std::vector<TokenId> prompt(static_cast<std::size_t>(length));
  for (TokenId& token : prompt) token = static_cast<TokenId>(random() % 100'000);
  return prompt;
}

StepResult answer(const StepPlan& plan) {
  StepResult result;
  result.number = plan.number;
  for (const SequenceSlice& slice : plan.slices) {
    if (slice.samples) result.sampled.push_back({slice.request, slice.slot, 5, 0});
  }
  result.finished = 1;
  return result;
}

/// Sequences that decode with as many tokens as a pool for a million holds, one step launched ahead; whoever
/// ends is followed by a new one with a prompt of 512.
void steps(int sequences, int pool_blocks) {
  KvCache cache({.blocks = pool_blocks, .block_size = kBlockSize, .hash_seed = 1});
  Scheduler scheduler({.max_num_seqs = sequences, .max_num_batched_tokens = 8192, .max_model_len = 131'072},
                      cache);
  std::mt19937 random(1);
  std::uint64_t id = 0;
  const int context = std::min(100'000, 32'000 * kBlockSize * 6 / 10 / sequences);
  const auto arrive = [&](int prompt, int output) {
    Request request;
    request.id = RequestId{++id};
    request.prompt = random_prompt(random, prompt);
    request.sampling.max_tokens = output;
    if (!scheduler.add(std::move(request))) std::abort();
  };
  for (int i = 0; i < sequences; ++i) arrive(context, 200 + static_cast<int>(random() % 2000));
  std::vector<double> plan_ns, launch_ns, commit_ns, whole_ns;
  std::optional<StepResult> pending;
  int used = 0;
  for (int step = 0; plan_ns.size() < 3000; ++step) {
    const Timer planning;
    auto plan = scheduler.plan(step);
    const double planned = planning.ns();
    if (!plan) std::abort();
    const Timer launching;
    scheduler.launched();
    const double launched = launching.ns();
    StepResult result = answer(*plan);
    double committed = 0;
    if (pending) {
      const Timer committing;
      const Committed folded = scheduler.commit(*pending, step);
      committed = committing.ns();
      for (std::size_t i = 0; i < folded.finished.size(); ++i)
        arrive(512, 200 + static_cast<int>(random() % 2000));
      static_cast<void>(scheduler.take_admissions());
    }
    pending = std::move(result);
    if (scheduler.running() < sequences && plan_ns.empty()) continue;  // until all decode
    if (plan_ns.empty() && plan->shape.prefill_tokens > 0) continue;
    used = std::max(used, cache.counts().used);
    plan_ns.push_back(planned);
    launch_ns.push_back(launched);
    commit_ns.push_back(committed);
    whole_ns.push_back(planned + launched + committed);
  }
  std::printf("%9d %11d %10d %9.1f %9.1f %9.1f %9.1f %9.1f\n", sequences, pool_blocks, used,
              quantile(plan_ns, 0.5) / 1e3, quantile(launch_ns, 0.5) / 1e3, quantile(commit_ns, 0.5) / 1e3,
              quantile(whole_ns, 0.5) / 1e3, quantile(whole_ns, 0.99) / 1e3);
}

/// One read that waits for memory, over as many bytes as the metadata of so many blocks takes: the yardstick
/// for what grows although no algorithm does.
double read_ns(int blocks) {
  constexpr std::size_t kWordsPerBlock = 64;  // 256 B: tokens, entry and pool block
  std::vector<std::uint32_t> memory(static_cast<std::size_t>(blocks) * kWordsPerBlock);
  std::uint32_t state = 1;
  for (std::uint32_t& word : memory) word = state = state * 1'664'525 + 1'013'904'223;
  constexpr int kReads = 200'000;
  std::uint64_t at = 1;
  const Timer reading;
  for (int i = 0; i < kReads; ++i)
    at = (at * 6'364'136'223'846'793'005ULL + memory[(at >> 20) % memory.size()]) | 1;
  const double each = reading.ns() / kReads;
  [[maybe_unused]] static volatile std::uint64_t used = 0;
  used = at;
  return each;
}

/// Lookup of a prompt of 32 blocks of which 16 are cached, and a block that is evicted, reused and published.
void prefixes(int cached) {
  KvCache cache({.blocks = cached, .block_size = kBlockSize, .hash_seed = 1});
  std::mt19937 random(1);
  const PrefixNode root = cache.index().acquire_root({});
  std::vector<std::vector<TokenId>> prompts;
  std::vector<std::uint64_t> keys;
  const auto fill = [&](const std::vector<TokenId>& prompt, int blocks) {
    BlockTable table;
    cache.pool().begin();
    if (!cache.pool().allocate(blocks, table)) std::abort();
    cache.keep();
    keys.clear();
    cache.index().extend_keys(root, prompt, keys);
    for (int i = 0; i < blocks; ++i) {
      const auto at = static_cast<std::size_t>(i);
      cache.publish(root, table, at, keys[at],
                    std::span<const TokenId>(prompt).subspan(at * kBlockSize, kBlockSize), 0);
    }
    cache.pool().free(table, 0);
  };
  for (int i = 0; i < cached / 16; ++i) {
    auto prompt = random_prompt(random, 32 * kBlockSize);
    fill(prompt, 16);
    if (prompts.size() < 1000) prompts.push_back(std::move(prompt));
  }
  const int rounds = 3000;
  std::vector<double> hash_ns, match_ns, miss_ns, evict_ns, append_ns;
  for (int i = 0; i < rounds; ++i) {
    const auto& prompt = prompts[random() % prompts.size()];
    keys.clear();
    const Timer hashing;
    cache.index().extend_keys(root, prompt, keys);
    hash_ns.push_back(hashing.ns() / 32);
    const Timer matching;
    const PrefixMatch match = cache.match(root, prompt, keys);
    match_ns.push_back(matching.ns() / 17);
    if (match.blocks.size() != 16) std::abort();
    const auto unknown = random_prompt(random, 32 * kBlockSize);
    keys.clear();
    cache.index().extend_keys(root, unknown, keys);
    const Timer missing;
    if (cache.match(root, unknown, keys).blocks.size() != 0) std::abort();
    miss_ns.push_back(missing.ns());
  }
  for (int i = 0; i < rounds; ++i) {
    const auto prompt = random_prompt(random, 16 * kBlockSize);
    BlockTable table;
    const Timer evicting;
    cache.pool().begin();
    if (!cache.pool().allocate(16, table)) std::abort();
    cache.keep();
    evict_ns.push_back(evicting.ns() / 16);
    keys.clear();
    cache.index().extend_keys(root, prompt, keys);
    const Timer appending;
    for (std::size_t b = 0; b < 16; ++b)
      cache.publish(root, table, b, keys[b],
                    std::span<const TokenId>(prompt).subspan(b * kBlockSize, kBlockSize), 0);
    cache.pool().free(table, 0);
    append_ns.push_back(appending.ns() / 16);
  }
  std::printf("%13d %9.1f %9.0f %9.0f %9.0f %9.0f %9.0f\n", cached, read_ns(cached), quantile(hash_ns, 0.5),
              quantile(match_ns, 0.5), quantile(miss_ns, 0.5), quantile(evict_ns, 0.5),
              quantile(append_ns, 0.5));
}

}  // namespace

int main() {
#ifdef PITWALL_CHECKS
  std::printf("Built with PITWALL_CHECKS: these are not the figures of a release build.\n");
#endif
  std::printf("A step, in µs\n%9s %11s %10s %9s %9s %9s %9s %9s\n", "sequences", "pool blocks", "used",
              "plan p50", "launched", "commit", "all p50", "all p99");
  for (const int sequences : {8, 64, 256}) steps(sequences, 32'768);
  for (const int sequences : {64, 256}) steps(sequences, 1'048'576);
  std::printf("\nPrefixes, ns a block (lookup of an unknown prompt: ns)\n%13s %9s %9s %9s %9s %9s %9s\n",
              "cached blocks", "a read", "key", "found", "unknown", "evict", "publish");
  for (const int cached : {1'024, 32'768, 1'048'576}) prefixes(cached);
}
