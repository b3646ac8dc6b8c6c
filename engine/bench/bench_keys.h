// SPDX-License-Identifier: GPL-3.0-or-later
// The one list of the keys of `bench`'s JSON beside its figures (report_figures.h): writer and reader walk
// it.
#pragma once
#include "engine/bench/load_report.h"

namespace pitwall {

/// visit(key, member) for what vLLM writes of a load. Setup is LoadSetup, const or not.
void for_each_vllm_setup(auto& setup, auto&& visit) {
  visit("backend", setup.backend);
  visit("model_id", setup.model_id);
  visit("tokenizer_id", setup.tokenizer_id);
  visit("num_prompts", setup.num_prompts);
  visit("request_rate", setup.request_rate);
  visit("burstiness", setup.burstiness);
  visit("max_concurrency", setup.max_concurrency);
}

/// The same for what is ours.
void for_each_own_setup(auto& setup, auto&& visit) {
  visit("endpoint", setup.endpoint);
  visit("workload", setup.workload);
  visit("seed", setup.seed);
  visit("warmups", setup.warmups);
  visit("repeats", setup.repeats);
  visit("open_loop", setup.open_loop);
  visit("shares_prefixes", setup.shares_prefixes);
}

void for_each_objective(auto& objectives, auto&& visit) {
  visit("ttft_ms", objectives.ttft);
  visit("tpot_ms", objectives.tpot);
  visit("e2el_ms", objectives.e2el);
  visit("preset", objectives.preset);
}

/// visit(key, member) for each number of vLLM's. Result is BenchResult, const or not.
void for_each_vllm_number(auto& result, auto&& visit) {
  visit("duration", result.duration_s);
  visit("completed", result.completed);
  visit("failed", result.failed);
  visit("total_input_tokens", result.input_tokens);
  visit("total_output_tokens", result.output_tokens);
  visit("request_throughput", result.request_throughput);
  visit("output_throughput", result.output_throughput);
  visit("total_token_throughput", result.total_token_throughput);
  visit("max_output_tokens_per_s", result.max_output_tokens_per_s);
  visit("max_concurrent_requests", result.max_concurrent_requests);
}

/// visit(name, Summary&); a key is STATISTIC_NAME_ms.
void for_each_vllm_latency(auto& result, auto&& visit) {
  visit("ttft", result.ttft);
  visit("tpot", result.tpot);
  visit("itl", result.itl);
  visit("e2el", result.e2el);
}

/// visit(statistic, double&); the median has two names.
void for_each_vllm_statistic(auto& summary, auto&& visit) {
  visit("mean", summary.mean);
  visit("median", summary.p50);
  visit("std", summary.std);
  visit("p50", summary.p50);
  visit("p75", summary.p75);
  visit("p90", summary.p90);
  visit("p95", summary.p95);
  visit("p99", summary.p99);
  visit("max", summary.max);
}

}  // namespace pitwall
