// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/bench/bench_json.h"
#include "engine/report/export_formats.h"
#include "engine/report/run_kind.h"
#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

std::string value_of(const Run& run, const char* name) {
  for (const ConfigEntry& entry : run.header.config)
    if (entry.name == name) return entry.value;
  return {};
}

/// What of the load a run's configuration says; a serving engine's has none.
LoadSetup setup_of(const Run& run) {
  LoadSetup setup;
  setup.date_utc = run.header.start_utc;
  setup.backend = "pitwall";
  setup.label = run.header.name;
  setup.model_id = setup.tokenizer_id = run.header.model_name;
  setup.num_prompts = std::ssize(run.requests);
  const std::string rate = value_of(run, "load.request-rate"), burst = value_of(run, "load.burstiness"),
                    most = value_of(run, "load.max-concurrency");
  char* end = nullptr;
  setup.request_rate = std::strtod(rate.c_str(), &end);
  if (end == rate.c_str()) setup.request_rate = std::nan("");  // "trace", or nobody said
  if (!burst.empty()) setup.burstiness = std::strtod(burst.c_str(), nullptr);
  if (const int limit = std::atoi(most.c_str()); limit > 0) setup.max_concurrency = limit;
  return setup;
}

/// Of those that ended well, as vLLM counts.
std::int64_t most_at_once(const std::vector<RequestRecord>& requests) {
  std::vector<std::pair<Nanos, int>> events;  // at one time ends come first
  for (const RequestRecord& request : requests) {
    if (!request.ended_well()) continue;
    events.emplace_back(request.arrival, 1);
    events.emplace_back(std::max(request.finished, request.arrival), -1);
  }
  std::sort(events.begin(), events.end());
  std::int64_t now = 0, most = 0;
  for (const auto& [at, step] : events) most = std::max(most, now += step);
  return most;
}

Json seconds(double ms) {
  return std::isnan(ms) ? Json() : Json(ms / 1000);
}

}  // namespace

std::string vllm_json(const Run& run) {
  LoadReport report;
  report.setup = setup_of(run);
  report.vllm = summarize_bench(run.requests, {});
  const bool shared = shares_chunks(run.header);  // vLLM's ITL lies between chunks of the stream
  if (!shared) report.vllm.itl = run.itl.summary();
  report.vllm.max_concurrent_requests = most_at_once(run.requests);
  for (const SecondRecord& second : run.seconds)
    if (second.output_tokens_per_s > 0)
      report.vllm.max_output_tokens_per_s = std::max<std::int64_t>(report.vllm.max_output_tokens_per_s,
                                                                   std::llround(second.output_tokens_per_s));
  Json document = vllm_keys(report);
  document["request_goodput"] = Json();
  if (shared) document["pitwall"] = {{"itl_token_ms", to_json_value(run.itl.summary())}};
  Json input = Json::array(), output = Json::array(), ttfts = Json::array(), itls = Json::array(),
       starts = Json::array(), errors = Json::array();
  for (const RequestRecord& request : run.requests) {
    input.push_back(request.prompt_tokens);
    output.push_back(request.ended_well() ? request.output_tokens : 0);
    ttfts.push_back(seconds(request.ttft_ms()));
    itls.push_back(Json::array());
    starts.push_back(static_cast<double>(request.arrival_utc - run.header.start_utc) /
                     static_cast<double>(kNanosPerSecond));
    errors.push_back(
        request.ended_well() ? "" : std::string(finish_reason_name(request.finish)) + ": " + request.error);
  }
  document["input_lens"] = std::move(input);
  document["output_lens"] = std::move(output);
  document["ttfts"] = std::move(ttfts);
  document["itls"] = std::move(itls);
  document["start_times"] = std::move(starts);
  document["errors"] = std::move(errors);
  return dump_json(document, 1) + "\n";
}

}  // namespace pitwall
