// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/aiperf_export.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/telemetry/record_json.h"

namespace pitwall {

namespace {

void put_metric(Json& metrics, const char* tag, double value, const char* unit) {
  if (!std::isnan(value)) metrics[tag] = {{"value", value}, {"unit", unit}};
}

double second_token(const StreamTimes& times) {
  return times.itl_chunk.empty() ? std::nan("") : times.itl_chunk.front();
}

Json metrics_json(const StreamRecord& record) {
  Json metrics = Json::object();
  const StreamTimes times = stream_times(record);
  put_metric(metrics, "time_to_first_token", times.ttft, "ms");
  put_metric(metrics, "time_to_second_token", second_token(times), "ms");
  put_metric(metrics, "request_latency", times.e2e, "ms");
  put_metric(metrics, "inter_token_latency", times.tpot, "ms");
  if (!times.itl_chunk.empty()) metrics["inter_chunk_latency"] = {{"value", times.itl_chunk}, {"unit", "ms"}};
  put_metric(metrics, "output_token_throughput_per_user", 1000 / times.tpot, "tokens/sec/user");
  put_metric(metrics, "output_sequence_length", record.output_tokens(), "tokens");
  put_metric(metrics, "input_sequence_length", record.input_tokens(), "tokens");
  return metrics;
}

Json metrics_json(const RequestRecord& request) {
  Json metrics = Json::object();
  put_metric(metrics, "time_to_first_token", request.ttft_ms(), "ms");
  put_metric(metrics, "request_latency", request.e2e_ms(), "ms");
  put_metric(metrics, "inter_token_latency", request.tpot_ms(), "ms");
  put_metric(metrics, "output_token_throughput_per_user", 1000 / request.tpot_ms(), "tokens/sec/user");
  put_metric(metrics, "output_sequence_length", request.output_tokens, "tokens");
  put_metric(metrics, "input_sequence_length", request.prompt_tokens, "tokens");
  return metrics;
}

/// What a line is about, with wall times; 0 = did not happen.
struct Metadata {
  std::size_t number = 0, conversation = 0;
  int turn = 0;
  std::string id;
  Nanos start = 0, ack = 0, end = 0;
  bool cancelled = false;
};

std::string line_of(const Metadata& about, Json metrics, Json error) {
  const auto wall = [](Nanos at) { return at > 0 ? Json(at) : Json(); };
  const std::string id = about.id.empty() ? fmt::format("request-{}", about.number) : about.id;
  const Json line = {{"metadata",
                      {{"session_num", about.number},
                       {"x_request_id", id},
                       {"x_correlation_id", id},
                       {"conversation_id", fmt::format("conversation-{}", about.conversation)},
                       {"turn_index", about.turn},
                       {"request_start_ns", wall(about.start)},
                       {"request_ack_ns", wall(about.ack)},
                       {"request_end_ns", wall(about.end)},
                       {"worker_id", "worker-0"},
                       {"record_processor_id", "record-processor-0"},
                       {"benchmark_phase", "profiling"},
                       {"was_cancelled", about.cancelled}}},
                     {"metrics", std::move(metrics)},
                     {"error", std::move(error)}};
  return dump_json(line) + "\n";
}

Json error_json(const Json& code, std::string_view type, const std::string& message) {
  return {{"code", code}, {"type", type}, {"message", message}};
}

std::string request_line(const PlayedLoad& play, const StreamRecord& record, std::size_t number) {
  // AIPerf has wall time here; durations are of the steady clock all the same.
  const auto wall = [&](Nanos at) { return at > 0 ? play.start_utc + (at - play.start) : 0; };
  const Metadata about{number,
                       number - record.index + record.conversation,
                       record.turn,
                       record.id,
                       wall(record.sent),
                       record.chunks.empty() ? 0 : wall(record.chunks.front().at),
                       wall(record.closed),
                       record.end == StreamEnd::cancelled};
  if (record.ended_well()) return line_of(about, metrics_json(record), {});
  return line_of(about, Json::object(),
                 error_json(record.status > 0 ? Json(record.status) : Json(), stream_end_name(record.end),
                            record.reason));
}

std::string field(double value) {
  return std::isnan(value) ? "" : fmt::format("{}", value);
}

std::string row(const std::string& name, const Summary& summary) {
  std::string line = name;
  for (const double value :
       {summary.mean, summary.min, summary.max, summary.p1, summary.p5, summary.p10, summary.p25, summary.p50,
        summary.p75, summary.p90, summary.p95, summary.p99, summary.std})
    line += "," + field(value);
  return line + "\n";
}

}  // namespace

std::string aiperf_jsonl(std::span<const PlayedLoad> plays) {
  std::string lines;
  std::size_t number = 0;
  for (const PlayedLoad& play : plays) {
    for (const StreamRecord& record : play.records) {
      if (record.sent > 0) lines += request_line(play, record, number);
      ++number;
    }
  }
  return lines;
}

std::string aiperf_jsonl(std::span<const RequestRecord> requests) {
  std::string lines;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const RequestRecord& request = requests[i];
    const auto wall = [&](Nanos at) { return at > 0 ? request.arrival_utc + (at - request.arrival) : 0; };
    const Metadata about{i,
                         i,
                         0,
                         request.label,
                         request.arrival_utc,
                         wall(request.first_token),
                         wall(request.finished),
                         request.finish == FinishReason::cancelled};
    lines += request.ended_well()
                 ? line_of(about, metrics_json(request), {})
                 : line_of(about, Json::object(),
                           error_json({}, finish_reason_name(request.finish), request.error));
  }
  return lines;
}

std::string aiperf_csv(const LoadReport& report, std::span<const PlayedLoad> plays) {
  std::vector<double> second, input, output, per_user;
  for (const PlayedLoad& play : plays) {
    for (const StreamRecord& record : play.records) {
      if (!record.ended_well()) continue;
      const StreamTimes times = stream_times(record);
      if (!times.itl_chunk.empty()) second.push_back(second_token(times));
      if (times.tpot > 0) per_user.push_back(1000 / times.tpot);
      input.push_back(record.input_tokens());
      output.push_back(record.output_tokens());
    }
  }
  std::string text = "Metric,avg,min,max,p1,p5,p10,p25,p50,p75,p90,p95,p99,std\n";
  text += row("Time to First Token (ms)", report.ttft);
  text += row("Time to Second Token (ms)", summarize(std::move(second)));
  text += row("Request Latency (ms)", report.e2e);
  text += row("Inter Token Latency (ms)", report.tpot);
  text += row("Inter Chunk Latency (ms)", report.itl_chunk);
  text += row("Output Token Throughput Per User (tokens/sec/user)", summarize(std::move(per_user)));
  text += row("Output Sequence Length (tokens)", summarize(std::move(output)));
  text += row("Input Sequence Length (tokens)", summarize(std::move(input)));
  text += "\nMetric,Value\n";
  text += fmt::format("Output Token Throughput (tokens/sec),{}\n", report.output_throughput);
  text += fmt::format("Request Throughput (requests/sec),{}\n", report.request_throughput);
  if (report.setup.objectives.any()) text += fmt::format("Goodput (requests/sec),{}\n", report.goodput);
  text += fmt::format("Request Count (requests),{}\n", report.vllm.completed);
  text += fmt::format("Error Request Count (requests),{}\n", report.vllm.failed);
  text += fmt::format("Benchmark Duration (sec),{}\n", report.window_s);
  return text;
}

}  // namespace pitwall
