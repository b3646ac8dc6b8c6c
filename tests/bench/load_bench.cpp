// SPDX-License-Identifier: GPL-3.0-or-later
// The load generator alone, against a stub on the same machine: streams at once, tokens a second, and what a
// token costs. Usage: load_bench [streams] [tokens/s] [seconds]
#include <cstdio>
#include <cstdlib>

#include "engine/bench/http_load.h"
#include "engine/bench/load_report.h"
#include "tests/support/stub_server.h"

using namespace pitwall;
using test::StubAnswer;
using test::StubRequest;
using test::StubServer;

namespace {

struct Point {
  int streams = 0;
  double tokens_per_s = 0, seconds = 0;  // wanted
};

void measure(const Point& point, bool chat) {
  const double gap_ms = 1000.0 * point.streams / point.tokens_per_s;
  const int tokens = static_cast<int>(point.seconds * 1000 / gap_ms) + 1;
  StubServer stub([gap_ms, streams = point.streams](const StubRequest& request) {
    StubAnswer answer;
    // First chunks spread over one gap, as those of an engine's steps do not.
    answer.first_ms = 200 + gap_ms * static_cast<double>(request.number) / streams;
    answer.gap_ms = gap_ms;
    return answer;
  });
  stub.keep_requests(false);
  Load load;
  load.trace.requests.resize(static_cast<std::size_t>(point.streams));
  for (TraceRequest& request : load.trace.requests) {
    request.prompt_tokens = 8;
    request.output_tokens = tokens;
  }
  HttpLoadTarget target;
  target.url = stub.url() + (chat ? "/v1/chat/completions" : "/v1/completions");
  target.body = [&](std::size_t) {
    return "{\"model\":\"stub\",\"stream\":true,\"stream_options\":{\"include_usage\":true},\"" +
           std::string(chat ? "max_completion_tokens" : "max_tokens") + "\":" + std::to_string(tokens) + "}";
  };
  const auto played = play_over_http(load, target);
  if (!played.ok()) {
    std::fprintf(stderr, "%s\n", played.error().text().c_str());
    std::exit(1);
  }
  const LoadReport report = make_report({}, {&*played, 1});
  const auto count = static_cast<double>(report.vllm.output_tokens);
  std::printf("%-11s %8d %8d %10.0f %10.0f %9lld %8.2f %8.2f %8.1f%% %9.2f %9.2f %9.2f %7lld\n",
              chat ? "chat" : "completion", point.streams, stub.most_streams(), point.tokens_per_s,
              report.output_throughput, static_cast<long long>(report.vllm.max_output_tokens_per_s),
              1e6 * report.lag.cpu_s / count, 1e6 * stub.cpu_s() / count,
              100 * report.lag.cpu_s / report.vllm.duration_s, report.lag.loop_delay_ms.p50,
              report.lag.loop_delay_ms.p99, report.itl_token.p50 / gap_ms,
              static_cast<long long>(report.vllm.failed));
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 3 ? std::atof(argv[3]) : 5;
  std::printf("%-11s %8s %8s %10s %10s %9s %8s %8s %9s %9s %9s %9s %7s\n", "endpoint", "streams", "at once",
              "wanted/s", "tokens/s", "best s", "us/tok", "stub us", "a core", "lag p50", "lag p99",
              "gap ratio", "failed");
  if (argc > 2) {
    measure({std::atoi(argv[1]), std::atof(argv[2]), seconds}, true);
    return 0;
  }
  // More than the 50,000 that are to be sustained: the average has the start and the end of a run in it.
  for (const bool chat : {false, true}) {
    for (const Point& point : {Point{100, 5'000, seconds}, Point{500, 20'000, seconds},
                               Point{2'000, 70'000, seconds}, Point{4'000, 70'000, seconds}})
      measure(point, chat);
  }
  return 0;
}
