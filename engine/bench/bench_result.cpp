// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/bench_result.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/bench/bench_keys.h"

namespace pitwall {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

BenchResult summarize_bench(std::span<const RequestRecord> requests, std::vector<double> itl_ms) {
  BenchResult result;
  std::vector<double> ttft, tpot, e2el;
  Nanos first = std::numeric_limits<Nanos>::max(), last = 0;
  for (const RequestRecord& request : requests) {
    first = std::min(first, request.arrival);
    result.preemptions += request.preemptions;
    if (request.scheduled > 0) {
      result.query_tokens += request.prompt_tokens;
      result.hit_tokens += request.cached_tokens;
      ++result.misses[static_cast<std::size_t>(request.miss)];
    }
    if (!request.ended_well()) {
      ++result.failed;
      continue;
    }
    ++result.completed;
    last = std::max(last, request.finished);
    result.input_tokens += request.prompt_tokens;
    result.output_tokens += request.output_tokens;
    ttft.push_back(request.ttft_ms());
    if (request.output_tokens > 1) tpot.push_back(request.tpot_ms());
    e2el.push_back(request.e2e_ms());
  }
  result.ttft = summarize(std::move(ttft));
  result.tpot = summarize(std::move(tpot));
  result.itl = summarize(std::move(itl_ms));
  result.e2el = summarize(std::move(e2el));
  if (last <= first) return result;
  result.duration_s = static_cast<double>(last - first) / static_cast<double>(kNanosPerSecond);
  const auto rate = [&](std::int64_t count) { return static_cast<double>(count) / result.duration_s; };
  result.request_throughput = rate(result.completed);
  result.output_throughput = rate(result.output_tokens);
  result.total_token_throughput = rate(result.input_tokens + result.output_tokens);
  return result;
}

Json to_json_value(const BenchResult& result) {
  Json out;
  for_each_vllm_number(result, [&](const char* key, auto value) { out[key] = value; });
  for_each_vllm_latency(result, [&](const std::string& name, const Summary& summary) {
    for_each_vllm_statistic(summary, [&](const std::string& statistic, double value) {
      out[statistic + "_" + name + "_ms"] = value;
    });
  });
  Json misses = Json::object();
  for (int reason = 1; reason < kMissReasonCount; ++reason) {  // 0 is none
    misses[std::string(miss_reason_name(static_cast<MissReason>(reason)))] =
        result.misses[static_cast<std::size_t>(reason)];
  }
  out["prefix_cache"] = {
      {"query_tokens", result.query_tokens}, {"hit_tokens", result.hit_tokens}, {"misses_by_reason", misses}};
  out["preemptions"] = result.preemptions;
  out["peak_kv_bytes"] = result.peak_kv_bytes;
  return out;
}

}  // namespace pitwall
