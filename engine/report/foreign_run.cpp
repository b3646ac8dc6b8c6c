// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/foreign_run.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kForeignOrigin = "file";

Nanos nanos_of_seconds(double seconds) {
  return std::llround(seconds * static_cast<double>(kNanosPerSecond));
}
Nanos nanos_of_ms(double ms) {
  return std::llround(ms * static_cast<double>(kNanosPerMs));
}

double number_in(const Json& object, const std::string& key, double missing = kNaN) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return missing;
  if (!found->is_number()) throw JsonFieldError(key, "a number is expected");
  return found->get<double>();
}

std::string text_in(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& list_in(const Json& object, const std::string& key, std::size_t length) {
  static const Json kNone = Json::array();
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return kNone;
  if (!found->is_array()) throw JsonFieldError(key, "a list is expected");
  if (found->size() != length)
    throw JsonFieldError(key, fmt::format("it has {} entries, \"input_lens\" has {}", found->size(), length));
  return *found;
}

double entry(const Json& list, std::size_t i, const char* key) {
  if (i >= list.size() || list[i].is_null()) return kNaN;
  if (!list[i].is_number()) throw JsonFieldError(fmt::format("{}[{}]", key, i), "a number is expected");
  return list[i].get<double>();
}

// ---- vLLM ----

Nanos read_date(const std::string& text) {
  std::tm parts{};
  if (strptime(text.c_str(), "%Y%m%d-%H%M%S", &parts) == nullptr)
    throw JsonFieldError("date", "it is not of the form 20260726-120000");
  return Nanos{timegm(&parts)} * kNanosPerSecond;
}

std::vector<RequestRecord> vllm_requests(const Json& document, Nanos start_utc, QuantileSketch& itl) {
  std::vector<RequestRecord> requests;
  const auto input = document.find("input_lens");
  if (input == document.end() || !input->is_array()) return requests;
  const std::size_t n = input->size();
  const Json &output = list_in(document, "output_lens", n), &ttfts = list_in(document, "ttfts", n),
             &itls = list_in(document, "itls", n), &starts = list_in(document, "start_times", n),
             &errors = list_in(document, "errors", n);
  double first_start = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < starts.size(); ++i)
    first_start = std::fmin(first_start, entry(starts, i, "start_times"));
  for (std::size_t i = 0; i < n; ++i) {
    RequestRecord& request = requests.emplace_back();
    request.id = RequestId{i + 1};
    const double start = entry(starts, i, "start_times");
    request.arrival = 1 + (std::isnan(start) ? 0 : nanos_of_seconds(start - first_start));
    request.arrival_utc = start_utc + request.arrival - 1;
    request.prompt_tokens = static_cast<std::int32_t>(entry(*input, i, "input_lens"));
    request.output_tokens = static_cast<std::int32_t>(std::fmax(0, entry(output, i, "output_lens")));
    const std::string error = i < errors.size() && errors[i].is_string() ? errors[i].get<std::string>() : "";
    request.finish = error.empty() ? FinishReason::stop : FinishReason::error;
    request.error = error;
    request.finished = request.arrival;
    const double ttft = entry(ttfts, i, "ttfts");
    if (std::isnan(ttft) || !error.empty()) continue;
    request.first_token = request.arrival + nanos_of_seconds(ttft);
    const Json& gaps = i < itls.size() ? itls[i] : itls;
    const bool told = i < itls.size() && gaps.is_array() && !gaps.empty();
    if (!told && request.output_tokens > 1) {  // when its last token came is not in the file
      request.finished = request.first_token;
      continue;
    }
    request.last_token = request.first_token;
    for (std::size_t k = 0; told && k < gaps.size(); ++k) {
      const Nanos gap = nanos_of_seconds(entry(gaps, k, "itls"));
      request.last_token += gap;
      request.max_itl = std::max(request.max_itl, gap);
      itl.add(static_cast<double>(gap) / static_cast<double>(kNanosPerMs));
    }
    request.finished = request.last_token;
  }
  return requests;
}

/// Statistics that the file has; the others are undefined.
Summary vllm_summary(const Json& document, const std::string& name, std::int64_t n) {
  Summary summary = summarize({});
  const auto read = [&](const char* statistic, double& value) {
    value = number_in(document, fmt::format("{}_{}_ms", statistic, name), value);
  };
  read("mean", summary.mean);
  read("median", summary.p50);
  read("std", summary.std);
  read("p50", summary.p50);
  read("p25", summary.p25);
  read("p75", summary.p75);
  read("p90", summary.p90);
  read("p95", summary.p95);
  read("p99", summary.p99);
  read("max", summary.max);
  summary.n = std::isnan(summary.mean) ? 0 : n;
  return summary;
}

// ---- AIPerf ----

double metric_in(const Json& metrics, const char* tag) {
  const auto found = metrics.find(tag);
  if (found == metrics.end()) return kNaN;
  if (!found->is_object()) throw JsonFieldError(tag, "an object with value and unit is expected");
  const double value = number_in(*found, "value");
  const std::string unit = text_in(*found, "unit");
  return unit == "sec" || unit == "s" ? 1000 * value
         : unit == "ns"               ? value / 1e6
         : unit == "us"               ? value / 1e3
                                      : value;
}

const Json& object_in(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_object()) throw JsonFieldError(key, "an object is expected");
  return *found;
}

RequestRecord aiperf_request(const Json& line, std::size_t number, QuantileSketch& itl) {
  const Json &metadata = object_in(line, "metadata"), &metrics = object_in(line, "metrics");
  RequestRecord request;
  request.id = RequestId{number};
  request.label = text_in(metadata, "x_request_id");
  const auto start = metadata.find("request_start_ns");
  if (start == metadata.end() || !start->is_number_integer())
    throw JsonFieldError("request_start_ns", "a whole number is expected");
  request.arrival_utc = start->get<Nanos>();
  if (request.arrival_utc <= 0) throw JsonFieldError("request_start_ns", "it is no time");
  request.arrival = request.arrival_utc;  // one clock will do: only differences count
  const auto count = [](double value) { return std::isnan(value) ? 0 : static_cast<std::int32_t>(value); };
  request.prompt_tokens = count(metric_in(metrics, "input_sequence_length"));
  request.output_tokens = count(metric_in(metrics, "output_sequence_length"));
  const double ttft = metric_in(metrics, "time_to_first_token"),
               latency = metric_in(metrics, "request_latency");
  if (!std::isnan(ttft)) request.first_token = request.arrival + nanos_of_ms(ttft);
  if (!std::isnan(latency)) request.last_token = request.arrival + nanos_of_ms(latency);
  request.finished = std::max(request.arrival, request.last_token);
  if (const auto gaps = metrics.find("inter_chunk_latency"); gaps != metrics.end() && gaps->contains("value"))
    for (const Json& gap : gaps->at("value")) {
      request.max_itl = std::max(request.max_itl, nanos_of_ms(gap.get<double>()));
      itl.add(gap.get<double>());
    }
  const auto error = line.find("error");
  const bool cancelled = metadata.value("was_cancelled", false);
  const bool failed = error != line.end() && !error->is_null();
  request.finish = cancelled ? FinishReason::cancelled : failed ? FinishReason::error : FinishReason::stop;
  if (failed) request.error = error->is_object() ? text_in(*error, "message") : error->dump();
  return request;
}

/// Where no gap is told, the longest is not 0: nobody knows it.
void sum_gaps(Run& run) {
  run.summary.metrics["itl_ms"] = run.itl.summary();
  const bool told = std::any_of(run.requests.begin(), run.requests.end(),
                                [](const RequestRecord& request) { return request.max_itl > 0; });
  if (!told) run.summary.metrics["max_itl_ms"] = summarize({});
}

}  // namespace

Run run_of_vllm(const Json& document) {
  Run run;
  RunHeader& header = run.header;
  header.start_utc = document.contains("date") ? read_date(text_in(document, "date")) : 0;
  header.name = text_in(document, "label");
  header.model_name = text_in(document, "model_id");
  header.device = text_in(document, "backend");
  const auto add = [&](const char* name, const char* key) {
    const auto found = document.find(key);
    if (found != document.end() && !found->is_null())
      header.config.push_back({std::string("load.") + name,
                               found->is_string() ? found->get<std::string>() : found->dump(), "",
                               kForeignOrigin, false});
  };
  add("num-prompts", "num_prompts");
  add("request-rate", "request_rate");
  add("burstiness", "burstiness");
  add("max-concurrency", "max_concurrency");
  run.requests = vllm_requests(document, header.start_utc, run.itl);
  run.summary = summarize_requests(run.requests);
  sum_gaps(run);
  EngineTotals& totals = run.summary.totals;
  const auto completed = static_cast<std::int64_t>(number_in(document, "completed", 0));
  totals.requests_finished = completed + static_cast<std::int64_t>(number_in(document, "failed", 0));
  totals.requests_error = totals.requests_finished - completed;
  totals.requests_stop = completed;
  totals.prompt_tokens = static_cast<std::int64_t>(number_in(document, "total_input_tokens", 0));
  totals.output_tokens = static_cast<std::int64_t>(number_in(document, "total_output_tokens", 0));
  run.summary.output_tokens_per_s = number_in(document, "output_throughput", 0);
  run.summary.metrics["ttft_ms"] = vllm_summary(document, "ttft", completed);
  run.summary.metrics["tpot_ms"] = vllm_summary(document, "tpot", completed);
  run.summary.metrics["e2e_ms"] = vllm_summary(document, "e2el", completed);
  run.summary.end_utc = header.start_utc + nanos_of_seconds(number_in(document, "duration", 0));
  return run;
}

Result<Run> run_of_aiperf(const std::string& lines) {
  Run run;
  std::size_t number = 0, start = 0;
  while (start < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', start), lines.size());
    const std::string line = lines.substr(start, end - start);
    start = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto fault = [&](const std::string& why) {
      return Error{Error::Kind::invalid_input, fmt::format("Line {} is no record of AIPerf", number), why,
                   "Give the profile_export.jsonl as AIPerf wrote it", "file"};
    };
    try {
      run.requests.push_back(aiperf_request(Json::parse(line), number, run.itl));
    } catch (const JsonFieldError& error) {
      return fault("\"" + error.key + "\": " + error.what());
    } catch (const nlohmann::json::exception& error) {
      return fault(error.what());
    }
  }
  std::stable_sort(run.requests.begin(), run.requests.end(),
                   [](const auto& a, const auto& b) { return a.arrival < b.arrival; });
  run.summary = summarize_requests(run.requests);
  sum_gaps(run);
  run.header.start_utc = run.summary.end_utc = run.requests.empty() ? 0 : run.requests.front().arrival_utc;
  for (const RequestRecord& request : run.requests)
    run.summary.end_utc =
        std::max(run.summary.end_utc, request.arrival_utc + request.finished - request.arrival);
  return run;
}

}  // namespace pitwall
