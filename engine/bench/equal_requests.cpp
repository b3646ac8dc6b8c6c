// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/equal_requests.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "engine/serve/replies.h"
#include "engine/telemetry/quantiles.h"

namespace pitwall {

namespace {

struct Arrival {
  Nanos at;
  std::int64_t tokens;
};

std::vector<GenerationRequest> requests_of(const EqualRequests& load, int vocabulary) {
  std::mt19937_64 random(load.seed);
  const auto tokens = [&](int count) {
    std::vector<TokenId> result(static_cast<std::size_t>(count));
    for (TokenId& token : result)
      token = static_cast<TokenId>(random() % static_cast<std::uint64_t>(vocabulary));
    return result;
  };
  const std::vector<TokenId> shared = tokens(load.shared_tokens);
  std::vector<GenerationRequest> requests(static_cast<std::size_t>(load.count));
  for (GenerationRequest& request : requests) {
    const std::vector<TokenId> own = tokens(load.prompt_tokens);
    request.prompt = shared;
    request.prompt.insert(request.prompt.end(), own.begin(), own.end());
    request.sampling.choice.temperature = 0;
    request.sampling.max_tokens = load.output_tokens;
    request.ignore_eos = true;
    request.label = "equal";
  }
  return requests;
}

double seconds(Nanos duration) {
  return static_cast<double>(duration) / static_cast<double>(kNanosPerSecond);
}

double idle_percent(const Recorder& recorder, Nanos begin, Nanos end) {
  IdleShare share;
  for (const StepRecord& step : recorder.last_steps(std::numeric_limits<std::uint16_t>::max())) {
    if (step.started >= begin && step.finished <= end) share.add(step);
  }
  return share.percent();
}

}  // namespace

Result<EqualRequestsResult> run_equal_requests(Engine& engine, const EqualRequests& load) {
  std::mutex mutex;
  std::vector<Arrival> arrivals;
  const RealClock clock;
  const Nanos began = clock.now();
  auto replies = run_requests(engine, requests_of(load, engine.model().spec().vocabulary),
                              [&](const OutputEvent& event) {
                                const std::lock_guard lock(mutex);
                                arrivals.push_back({clock.now(), std::ssize(event.tokens)});
                              });
  if (!replies) return std::move(replies).error();

  EqualRequestsResult result;
  Nanos last_first = 0, first_end = std::numeric_limits<Nanos>::max(), last_end = 0;
  std::vector<double> ttft, tpot;
  std::int64_t prompt_tokens = 0, output_tokens = 0;
  for (const Reply& reply : *replies) {
    const RequestRecord& record = reply.last.record;
    last_first = std::max(last_first, record.first_token);
    first_end = std::min(first_end, record.last_token);
    last_end = std::max(last_end, record.last_token);
    prompt_tokens += record.prompt_tokens;
    output_tokens += record.output_tokens;
    result.cached_tokens += record.cached_tokens;
    ttft.push_back(record.ttft_ms());
    tpot.push_back(record.tpot_ms());
  }
  result.duration_s = seconds(last_end - began);
  result.first_tokens_s = seconds(last_first - began);
  result.prompt_tokens_per_s = static_cast<double>(prompt_tokens) / result.first_tokens_s;
  result.output_tokens_per_s = static_cast<double>(output_tokens) / result.duration_s;
  result.ttft_p50_ms = summarize(std::move(ttft)).p50;
  result.tpot_p50_ms = summarize(std::move(tpot)).p50;
  result.decode_tokens_per_s = std::numeric_limits<double>::quiet_NaN();
  std::int64_t tokens = 0;
  for (const Arrival& arrival : arrivals) {
    if (arrival.at > last_first && arrival.at <= first_end) tokens += arrival.tokens;
  }
  if (first_end > last_first)
    result.decode_tokens_per_s = static_cast<double>(tokens) / seconds(first_end - last_first);
  result.gap_percent = idle_percent(engine.recorder(), last_first, first_end);
  return result;
}

}  // namespace pitwall
