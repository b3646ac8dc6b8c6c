// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/serve/metrics_text.h"

#include <array>
#include <charconv>

#include "engine/serve/engine.h"

namespace pitwall {

namespace {

std::string number(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string label_value(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// Prometheus' text format 0.0.4; every sample carries the model's labels.
class MetricsWriter {
 public:
  explicit MetricsWriter(std::string_view model)
      : labels_("model_name=\"" + label_value(model) + "\",engine=\"0\"") {}

  void family(std::string_view name, std::string_view type, std::string_view help) {
    text_ += "# HELP " + std::string(name) + " " + std::string(help) + "\n# TYPE " + std::string(name) + " " +
             std::string(type) + "\n";
  }
  void sample(std::string_view name, double value, std::string_view more_labels = {}) {
    text_ += std::string(name) + "{" + labels_ + (more_labels.empty() ? "" : ",") + std::string(more_labels) +
             "} " + number(value) + "\n";
  }
  void single(std::string_view name, std::string_view type, std::string_view help, double value) {
    family(name, type, help);
    sample(name, value);
  }
  void histogram(std::string_view name, std::string_view help, const std::vector<double>& edges,
                 const Recorder::Histogram& histogram) {
    family(name, "histogram", help);
    const std::string bucket = std::string(name) + "_bucket";
    for (std::size_t i = 0; i < edges.size(); ++i) {
      sample(bucket, static_cast<double>(histogram.cumulative[i]), "le=\"" + number(edges[i]) + "\"");
    }
    sample(bucket, static_cast<double>(histogram.count), "le=\"+Inf\"");
    sample(std::string(name) + "_sum", histogram.sum);
    sample(std::string(name) + "_count", static_cast<double>(histogram.count));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string labels_, text_;
};

void write_gauges(MetricsWriter& writer, const Snapshot& now) {
  writer.single("vllm:num_requests_running", "gauge", "Requests that the engine is computing.", now.running);
  writer.single("vllm:num_requests_waiting", "gauge", "Requests that wait for a place.", now.waiting);
  writer.single("vllm:kv_cache_usage_perc", "gauge", "Share of KV blocks that requests hold; 1 is all.",
                now.kv_blocks > 0 ? static_cast<double>(now.kv_blocks_used) / now.kv_blocks : 0);
}

void write_counters(MetricsWriter& writer, const EngineTotals& totals) {
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
                  "reason=\"" + std::string(miss_reason_name(reason)) + "\"");
  }
  counter("vllm:prompt_tokens_total", "Prompt tokens of requests whose first token came.",
          totals.prompt_tokens);
  counter("vllm:generation_tokens_total", "Tokens generated.", totals.output_tokens);
  constexpr std::string_view kSuccess = "vllm:request_success_total";
  writer.family(kSuccess, "counter", "Requests that ended, by reason.");
  const auto ended = [&](std::string_view reason, std::int64_t count) {
    writer.sample(kSuccess, static_cast<double>(count), "finished_reason=\"" + std::string(reason) + "\"");
  };
  ended("stop", totals.requests_stop);
  ended("length", totals.requests_length);
  ended("abort", totals.requests_cancelled);
  ended("error", totals.requests_error);
}

void write_histograms(MetricsWriter& writer, const Recorder& recorder) {
  const auto histogram = [&](std::string_view name, std::string_view help, Recorder::Measure measure) {
    writer.histogram(name, help, Recorder::edges(measure), recorder.histogram(measure));
  };
  using Measure = Recorder::Measure;
  histogram("vllm:time_to_first_token_seconds", "Arrival to first token.", Measure::ttft);
  histogram("vllm:inter_token_latency_seconds", "Between two tokens of a request.", Measure::itl);
  histogram("vllm:request_time_per_output_token_seconds", "Mean time per token after the first, by request.",
            Measure::tpot);
  histogram("vllm:e2e_request_latency_seconds", "Arrival to last token.", Measure::e2e);
  histogram("vllm:request_queue_time_seconds", "Arrival to first scheduling.", Measure::queue);
}

void write_memory(MetricsWriter& writer, const Snapshot& now, const Engine& engine) {
  writer.family("vllm:cache_config_info", "gauge", "How the KV cache is set up.");
  writer.sample("vllm:cache_config_info", 1,
                "block_size=\"" + std::to_string(now.block_size) + "\",num_gpu_blocks=\"" +
                    std::to_string(now.kv_blocks) + "\",cache_dtype=\"" +
                    label_value(engine.effective("kv-cache-dtype")) + "\"");
  constexpr std::string_view kMemory = "pitwall:memory_bytes";
  writer.family(kMemory, "gauge",
                "Memory by what holds it; all categories and unaccounted sum to what is measured.");
  const auto memory = [&](std::string_view category, Bytes bytes) {
    writer.sample(kMemory, static_cast<double>(bytes), "category=\"" + std::string(category) + "\"");
  };
  for (int i = 0; i < kCategoryCount; ++i) {
    const auto category = static_cast<Category>(i);
    memory(category_name(category), now.ledger.of(category));
  }
  memory("unaccounted", now.ledger.unaccounted());
  constexpr std::string_view kKv = "pitwall:kv_memory_bytes";
  writer.family(kKv, "gauge", "The KV pool by state; sums to the category kv.");
  const auto pool = [&](std::string_view state, Bytes bytes) {
    writer.sample(kKv, static_cast<double>(bytes), "state=\"" + std::string(state) + "\"");
  };
  pool("used", now.ledger.kv_used);
  pool("cached", now.ledger.kv_cached);
  pool("quarantined", now.ledger.kv_quarantined);
  pool("free", now.ledger.kv_free);
}

}  // namespace

std::string metrics_text(Engine& engine) {
  const std::shared_ptr<const Snapshot> now = engine.snapshot();
  MetricsWriter writer(engine.served_name());
  write_gauges(writer, *now);
  write_counters(writer, engine.recorder().totals());
  write_histograms(writer, engine.recorder());
  write_memory(writer, *now, engine);
  return writer.take();
}

}  // namespace pitwall
