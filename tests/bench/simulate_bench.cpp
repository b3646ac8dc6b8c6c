// SPDX-License-Identifier: GPL-3.0-or-later
// Prints, asserts nothing: prefix hits against the size of the pool, what limits and targets do to token
// gaps, and the scheduler's own time. Usage: simulate_bench [pools | gaps | overhead]…; without arguments,
// all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/bench/bench_result.h"
#include "engine/bench/simulated_machine.h"
#include "engine/bench/simulation.h"
#include "engine/bench/workload.h"
#include "engine/library/model_profile.h"
#include "engine/plan/roofline.h"
#include "tests/support/llama_on_h200.h"
#include "tests/support/test_support.h"

using namespace pitwall;

namespace {

struct Scene : test::LlamaOnH200 {
  Simulation play(const Trace& trace, const SimulationConfig& config) const {
    auto simulation = simulate(trace, config, model);
    if (simulation.ok()) return std::move(*simulation);
    fmt::print(stderr, "error: {}\n", simulation.error().text());
    std::exit(1);
  }
};

BenchResult result_of(const Simulation& simulation) {
  return summarize_bench(simulation.requests, simulation.itl_ms);
}

void print_pools(const Scene& scene) {
  const Trace trace = read_trace(test::data("traces/mooncake-conversation-3000.jsonl")).value();
  fmt::print("Mooncake conversation trace, 3,000 requests, llama-3.1-8b on one H200, KV of 16 bits\n");
  fmt::print("{:>12}{:>12}{:>14}{:>10}{:>14}\n", "pool GiB", "tokens", "hit tokens", "hit %", "TTFT p50 ms");
  for (const Bytes gib : {16, 32, 64, 114, 256, 512, 1024, 2048, 4096, 8192}) {
    SimulationConfig config = scene.config();
    config.cache.blocks = static_cast<int>(gib * kGiB / (4 * kMiB));
    config.scheduler.max_model_len = std::min(scene.spec.context_length, config.cache.blocks * 32);
    const BenchResult result = result_of(scene.play(trace, config));
    fmt::print("{:>12}{:>12}{:>14}{:>10.2f}{:>14.1f}\n", gib, config.cache.blocks * std::int64_t{32},
               result.hit_tokens,
               100.0 * static_cast<double>(result.hit_tokens) / static_cast<double>(result.query_tokens),
               result.ttft.p50);
  }
}

void print_gaps(const Scene& scene) {
  fmt::print("\nShort chats with rare 6K-token prompts, llama-3.1-8b on one H200; times in ms\n");
  fmt::print("{:<34}{:>9}{:>9}{:>11}{:>10}{:>10}{:>10}\n", "", "ITL p50", "ITL p99", "worst gap", "TTFT p50",
             "TTFT p99", "tokens/s");
  const auto row = [&](const Trace& trace, std::string_view name, const SimulationConfig& config) {
    const BenchResult result = result_of(scene.play(trace, config));
    fmt::print("{:<34}{:>9.2f}{:>9.2f}{:>11.2f}{:>10.1f}{:>10.1f}{:>10.1f}\n", name, result.itl.p50,
               result.itl.p99, result.itl.max, result.ttft.p50, result.ttft.p99, result.output_throughput);
    return result;
  };
  const auto rows = [&](std::string_view load, const Trace& trace, const SimulationConfig& config) {
    const BenchResult plain = row(trace, fmt::format("{}: fcfs", load), config);
    SimulationConfig limited = config;
    limited.scheduler.long_prefill_token_threshold = 512;
    limited.scheduler.max_long_partial_prefills = 1;
    row(trace, "  long prompts get 512 a step", limited);
    for (const double factor : {1.5, 2.0, 3.0}) {
      SimulationConfig targeted = config;
      targeted.scheduler.target_itl = std::llround(factor * plain.itl.p50 * static_cast<double>(kNanosPerMs));
      row(trace, fmt::format("  ITL target {:.2f}", factor * plain.itl.p50), targeted);
    }
  };
  Trace trace = make_trace(find_workload("long-prompts-mixed").value(), 2000, 1);
  rows("10 requests/s", trace, scene.config());
  pace(trace, {30}, 1);
  rows("30 requests/s", trace, scene.config());
  pace(trace, {INFINITY}, 1);
  SimulationConfig full = scene.config();
  full.max_concurrency = 64;
  rows("64 clients, no pause", trace, full);
}

void print_overhead(const Scene& scene) {
  fmt::print("\nScheduler's own time a step, equal requests of 1,024 + 256 tokens, blocks for 1M tokens\n");
  fmt::print("{:>10}{:>10}{:>12}{:>12}\n", "running", "steps", "p50 us", "p99 us");
  for (const int running : {16, 64, 256}) {
    SimulationConfig config = scene.config();
    config.scheduler.max_num_seqs = running;
    config.cache.blocks = 32768;
    const Trace trace = make_trace(find_workload("prompt-1024-output-256").value(), 4 * running, 1);
    const Simulation simulation = scene.play(trace, config);
    std::vector<double> full;  // steps that decode all of the batch
    for (std::size_t i = 0; i < simulation.steps.size(); ++i) {
      if (simulation.steps[i].decode_tokens == running) full.push_back(simulation.scheduler_us[i]);
    }
    const Summary summary = summarize(std::move(full));
    fmt::print("{:>10}{:>10}{:>12.1f}{:>12.1f}\n", running, summary.n, summary.p50, summary.p99);
  }
  const Trace azure = read_trace(test::data("traces/azure-llm-2023-code.csv")).value();
  const RealClock clock;
  const Nanos began = clock.now();
  const Simulation simulation = scene.play(azure, scene.config());
  const Summary summary = summarize(simulation.scheduler_us);
  fmt::print("Azure code trace: {} requests, {} steps in {}; scheduler p50 {:.1f} us, p99 {:.1f} us a step\n",
             azure.requests.size(), simulation.steps.size(), format_duration(clock.now() - began),
             summary.p50, summary.p99);
}

}  // namespace

int main(int argc, char** argv) {
  const auto wanted = [&](std::string_view name) {
    return argc < 2 || std::any_of(argv + 1, argv + argc, [&](const char* given) { return given == name; });
  };
  const Scene scene;
  if (wanted("pools")) print_pools(scene);
  if (wanted("gaps")) print_gaps(scene);
  if (wanted("overhead")) print_overhead(scene);
  return 0;
}
