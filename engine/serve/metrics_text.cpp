// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/metrics_text.h"

#include <algorithm>
#include <vector>

#include "engine/serve/engine.h"
#include "engine/serve/metrics_writer.h"

namespace pitwall {

namespace {

void write_gauges(MetricsWriter& writer, const Snapshot& now) {
  writer.single("vllm:num_requests_running", "gauge", "Requests that the engine is computing.", now.running);
  writer.single("vllm:num_requests_waiting", "gauge", "Requests that wait for a place.", now.waiting);
  writer.family("vllm:num_requests_waiting_by_reason", "gauge", "Requests that wait, by what they wait for.");
  writer.sample("vllm:num_requests_waiting_by_reason", now.waiting - now.deferred, {{"reason", "capacity"}});
  writer.sample("vllm:num_requests_waiting_by_reason", now.deferred, {{"reason", "deferred"}});
  writer.single("vllm:kv_cache_usage_perc", "gauge", "Share of KV blocks that requests hold; 1 is all.",
                now.kv_blocks > 0 ? static_cast<double>(now.kv_blocks_used) / now.kv_blocks : 0);
}

void write_counters(MetricsWriter& writer, const EngineTotals& totals, const Recorder::Sources& sources) {
  const auto counter = [&writer](std::string_view name, std::string_view help, std::int64_t value) {
    writer.single(name, "counter", help, static_cast<double>(value));
  };
  counter("vllm:num_preemptions_total", "Requests put back to the queue for want of KV blocks.",
          totals.preemptions);
  counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache, once a request.",
          totals.prefix_query_tokens);
  counter("vllm:prefix_cache_hits_total", "Of those, tokens that were found.", totals.prefix_hit_tokens);
  counter("pitwall:recomputed_tokens_total", "KV positions that preemptions threw away.",
          totals.recomputed_tokens);
  counter("pitwall:swapped_tokens_total", "KV positions that preemptions moved to the swap space.",
          totals.swapped_tokens);
  counter("pitwall:evicted_blocks_total", "Cached KV blocks that gave way to others.", totals.evicted_blocks);
  constexpr std::string_view kMisses = "pitwall:prefix_cache_misses_total";
  writer.family(kMisses, "counter",
                "Requests by why their prompt was not found further in the prefix cache.");
  for (int i = 0; i < kMissReasonCount; ++i) {
    const auto reason = static_cast<MissReason>(i);
    writer.sample(kMisses, static_cast<double>(totals.misses[static_cast<std::size_t>(i)]),
                  {{"reason", miss_reason_name(reason)}});
  }
  counter("vllm:prompt_tokens_total", "Prompt tokens of requests whose first token came.",
          totals.prompt_tokens);
  constexpr std::string_view kBySource = "vllm:prompt_tokens_by_source_total";
  writer.family(kBySource, "counter", "Of these, tokens by where their KV came from.");
  writer.sample(kBySource, static_cast<double>(sources.computed_prompt_tokens),
                {{"source", "local_compute"}});
  writer.sample(kBySource, static_cast<double>(sources.cached_prompt_tokens),
                {{"source", "local_cache_hit"}});
  counter("vllm:prompt_tokens_cached_total", "Of these, tokens found in the prefix cache.",
          sources.cached_prompt_tokens);
  constexpr std::string_view kPreemptions = "pitwall:preemptions_total";
  writer.family(kPreemptions, "counter", "Preemptions by what became of the KV.");
  writer.sample(kPreemptions, static_cast<double>(sources.recomputes), {{"kv", "recompute"}});
  writer.sample(kPreemptions, static_cast<double>(sources.swaps), {{"kv", "swap"}});
  counter("vllm:generation_tokens_total", "Tokens generated.", totals.output_tokens);
  constexpr std::string_view kSuccess = "vllm:request_success_total";
  writer.family(kSuccess, "counter", "Requests that ended, by reason.");
  const auto ended = [&](std::string_view reason, std::int64_t count) {
    writer.sample(kSuccess, static_cast<double>(count), {{"finished_reason", reason}});
  };
  ended("stop", totals.requests_stop);
  ended("length", totals.requests_length);
  ended("abort", totals.requests_cancelled);
  ended("error", totals.requests_error);
  constexpr std::string_view kFailures = "pitwall:request_failures_total";
  writer.family(kFailures, "counter", "Requests that ended with an error, by cause.");
  for (int i = 1; i < kFailureCauses; ++i) {
    writer.sample(kFailures, static_cast<double>(sources.failures[static_cast<std::size_t>(i)]),
                  {{"cause", failure_cause_name(static_cast<FailureCause>(i))}});
  }
}

/// What vLLM measures too. Its bucket edges are chosen from ours, which are finer for fast devices.
struct SharedMeasure {
  Recorder::Measure measure;
  std::string_view name, help;
  double first_edge;  ///< vLLM's; the edges below are ours alone
};

using Measure = Recorder::Measure;
constexpr SharedMeasure kTimes[] = {
    {Measure::ttft, "time_to_first_token_seconds", "Arrival to first token.", 0.001},
    {Measure::itl, "inter_token_latency_seconds", "Between two tokens of a request.", 0.01},
    {Measure::tpot, "request_time_per_output_token_seconds",
     "Mean time per token after the first, by request.", 0.01},
    {Measure::e2e, "e2e_request_latency_seconds", "Arrival to last token.", 0.3},
    {Measure::queue, "request_queue_time_seconds", "Arrival to first scheduling.", 0.3},
    {Measure::prefill, "request_prefill_time_seconds",
     "First scheduling to first token, preempted time left out.", 0.3},
    {Measure::decode, "request_decode_time_seconds", "First to last token, preempted time left out.", 0.3},
    {Measure::inference, "request_inference_time_seconds", "First scheduling to last token.", 0.3},
};
constexpr SharedMeasure kNumbers[] = {
    {Measure::prompt_tokens, "request_prompt_tokens", "Prompt tokens of ended requests.", 1},
    {Measure::output_tokens, "request_generation_tokens", "Tokens that ended requests generated.", 1},
    {Measure::output_tokens, "request_max_num_generation_tokens", "The same, of a request's longest choice.",
     1},
    {Measure::computed_tokens, "request_prefill_kv_computed_tokens",
     "Prompt tokens of ended requests that were not found in the prefix cache.", 1},
    {Measure::step_tokens, "iteration_tokens_total", "Tokens computed in a step.", 1},
    {Measure::asked_n, "request_params_n", "Choices that a request asked for.", 1},
    {Measure::asked_tokens, "request_params_max_tokens", "Tokens that a request may generate.", 1},
};

void write_histograms(MetricsWriter& writer, const Recorder& recorder, double longest) {
  const auto write = [&](const std::string& name, std::string_view help, Measure measure,
                         const auto& wanted) {
    const std::vector<double>& all = Recorder::edges(measure);
    const Recorder::Histogram counted = recorder.histogram(measure);
    std::vector<double> edges;
    std::vector<std::int64_t> cumulative;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!wanted(all[i])) continue;
      edges.push_back(all[i]);
      cumulative.push_back(counted.cumulative[i]);
    }
    writer.histogram(name, help, edges, cumulative, counted.count, counted.sum);
  };
  for (const SharedMeasure& time : kTimes) {
    write("vllm:" + std::string(time.name), time.help, time.measure,
          [&](double edge) { return edge >= time.first_edge; });
    if (time.measure == Measure::ttft) continue;  // fine enough as it is
    write("pitwall:" + std::string(time.name), std::string(time.help) + " With finer buckets.", time.measure,
          [](double) { return true; });
  }
  for (const SharedMeasure& count : kNumbers) {
    const bool by_length = count.measure != Measure::step_tokens && count.measure != Measure::asked_n;
    write("vllm:" + std::string(count.name), count.help, count.measure,
          [&](double edge) { return !by_length || edge <= longest; });
  }
}

void write_http(MetricsWriter& writer, const HttpCounts& counts) {
  constexpr std::string_view kReplies = "pitwall:http_replies_total", kDrops = "pitwall:http_dropped_total",
                             kByKey = "pitwall:completions_accepted_total";
  writer.family(kReplies, "counter", "HTTP replies by status and, of refusals, error code.");
  for (const auto& [cause, count] : counts.replies) {
    writer.sample(kReplies, static_cast<double>(count),
                  {{"status", std::to_string(cause.first)}, {"code", cause.second}});
  }
  writer.family(kDrops, "counter", "Requests that were cut off, by reason.");
  for (const auto& [reason, count] : counts.drops)
    writer.sample(kDrops, static_cast<double>(count), {{"reason", reason}});
  writer.family(kByKey, "counter", "Completions that the engine took on, by name of the API key.");
  for (const auto& [key, count] : counts.completions)
    writer.sample(kByKey, static_cast<double>(count), {{"key", key}});
}

void write_memory(MetricsWriter& writer, const Snapshot& now, const Engine& engine) {
  writer.family("vllm:cache_config_info", "gauge", "How the KV cache is set up.");
  writer.sample("vllm:cache_config_info", 1,
                {{"block_size", std::to_string(now.block_size)},
                 {"num_gpu_blocks", std::to_string(now.kv_blocks)},
                 {"cache_dtype", engine.effective("kv-cache-dtype")}});
  constexpr std::string_view kMemory = "pitwall:memory_bytes";
  writer.family(kMemory, "gauge",
                "Memory by what holds it; all categories and unaccounted sum to what is measured.");
  const auto memory = [&](std::string_view category, Bytes bytes) {
    writer.sample(kMemory, static_cast<double>(bytes), {{"category", category}});
  };
  for (int i = 0; i < kCategoryCount; ++i) {
    const auto category = static_cast<Category>(i);
    memory(category_name(category), now.ledger.of(category));
  }
  memory("unaccounted", now.ledger.unaccounted());
  constexpr std::string_view kKv = "pitwall:kv_memory_bytes";
  writer.family(kKv, "gauge", "The KV pool by state; sums to the category kv.");
  const auto pool = [&](std::string_view state, Bytes bytes) {
    writer.sample(kKv, static_cast<double>(bytes), {{"state", state}});
  };
  pool("used", now.ledger.kv_used);
  pool("cached", now.ledger.kv_cached);
  pool("quarantined", now.ledger.kv_quarantined);
  pool("free", now.ledger.kv_free);
}

}  // namespace

std::string metrics_text(Engine& engine, const HttpStatistics& http) {
  const std::shared_ptr<const Snapshot> now = engine.snapshot();
  const Recorder& recorder = engine.recorder();
  MetricsWriter writer(engine.served_name());
  write_gauges(writer, *now);
  write_counters(writer, recorder.totals(), recorder.sources());
  write_histograms(writer, recorder, engine.max_model_len());
  write_memory(writer, *now, engine);
  write_http(writer, http.counts());
  return writer.take();
}

}  // namespace pitwall
