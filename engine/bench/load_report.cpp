// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/bench/load_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pitwall {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostReasons = 20;

double seconds(Nanos duration) {
  return static_cast<double>(duration) / static_cast<double>(kNanosPerSecond);
}

void put(std::vector<double>& values, double value) {
  if (!std::isnan(value)) values.push_back(value);
}

void append(std::vector<double>& values, const std::vector<double>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

class ReportMaker {
 public:
  explicit ReportMaker(const LoadSetup& setup) { report_.setup = setup; }

  LoadReport make(std::span<const PlayedLoad> plays) {
    for (const PlayedLoad& play : plays) add_play(play);
    finish_vllm();
    finish_ours();
    warn();
    return std::move(report_);
  }

 private:
  struct Samples {
    std::vector<double> ttft, ttfa, tpot, itl_chunk, itl_token, e2e, stream_end, ttft_due, e2e_due;
  };

  void add_play(const PlayedLoad& play) {
    report_.vllm.duration_s += seconds(play.end - play.start);
    report_.vllm.max_concurrent_requests =
        std::max<std::int64_t>(report_.vllm.max_concurrent_requests, play.peak_live);
    report_.lag.cpu_s += play.lag.cpu_s;
    Nanos first = 0, last = 0, last_sent = 0;
    std::int64_t sent = 0;
    std::map<std::int64_t, std::int64_t> per_second;
    for (const StreamRecord& record : play.records) {
      if (record.sent > 0) {
        ++sent;
        first = first == 0 ? record.sent : std::min(first, record.sent);
        last_sent = std::max(last_sent, record.sent);
        slip_ms_.push_back(static_cast<double>(record.sent - record.ready) /
                           static_cast<double>(kNanosPerMs));
        if (report_.setup.open_loop && record.ready > record.due) ++report_.held_back;
      }
      if (record.ended_well()) {
        last = std::max(last, record.closed);
        add_well(record);
        for (const ChunkTime& chunk : record.chunks) {
          if (chunk.choice) ++per_second[(chunk.at - play.start) / kNanosPerSecond];
        }
      } else {
        add_failure(record);
      }
    }
    for (const auto& [second, chunks] : per_second)
      report_.vllm.max_output_tokens_per_s = std::max(report_.vllm.max_output_tokens_per_s, chunks);
    if (last > first && first > 0) report_.window_s += seconds(last - first);
    if (sent > 1) {
      sending_s_ += seconds(last_sent - first);
      gaps_sent_ += sent - 1;
    }
    if (play.lag.loop_delay_ms.n > 0) {
      report_.lag.loop_delay_ms = worse(report_.lag.loop_delay_ms, play.lag.loop_delay_ms);
    }
    add_server(play.server);
  }

  static Summary worse(const Summary& a, const Summary& b) { return a.n == 0 || b.p99 > a.p99 ? b : a; }

  void add_well(const StreamRecord& record) {
    const VllmTimes vllm = vllm_times(record);
    const StreamTimes ours = stream_times(record);
    ++report_.vllm.completed;
    report_.vllm.input_tokens += record.input_tokens();
    report_.vllm.output_tokens += record.output_tokens();
    put(vllm_.ttft, vllm.ttft);
    put(vllm_.tpot, vllm.tpot);
    put(vllm_.e2e, vllm.e2e);
    append(vllm_.itl_chunk, vllm.itl);

    put(ours_.ttft, ours.ttft);
    put(ours_.ttfa, ours.ttfa);
    put(ours_.tpot, ours.tpot);
    put(ours_.e2e, ours.e2e);
    put(ours_.stream_end, ours.stream_end);
    append(ours_.itl_chunk, ours.itl_chunk);
    append(ours_.itl_token, ours.itl_token);
    if (report_.setup.open_loop) {
      put(ours_.ttft_due, ours.ttft_due);
      put(ours_.e2e_due, ours.e2e_due);
    }
    const bool empty = std::isnan(ours.ttft);
    report_.empty_replies += empty ? 1 : 0;
    report_.tpot_undefined += std::isnan(ours.tpot) ? 1 : 0;
    report_.itl_token_unknown += !empty && !ours.tokens_known ? 1 : 0;
    report_.not_counted_by_server += record.completion_tokens < 0 ? 1 : 0;
    count_mismatch(record);
    count_good(vllm, ours);
    if (record.cached_tokens >= 0) {
      cached_tokens_ += record.cached_tokens;
      cached_of_ += record.input_tokens();
    }
  }

  /// An end token may be counted and not shown.
  void count_mismatch(const StreamRecord& record) {
    const std::int32_t stated = record.stated_tokens();
    if (record.completion_tokens < 0 || stated < 0) return;
    const std::int32_t unseen = record.finish_reason == "stop" ? 1 : 0;
    const std::int32_t difference = record.completion_tokens - stated;
    report_.count_mismatches += difference < 0 || difference > unseen ? 1 : 0;
  }

  void count_good(const VllmTimes& vllm, const StreamTimes& ours) {
    const Objectives& wanted = report_.setup.objectives;
    if (!wanted.any()) return;
    vllm_good_ += wanted.met_by(vllm.ttft, vllm.tpot, vllm.e2e, false) ? 1 : 0;
    report_.good += wanted.met_by(ours.ttft, ours.tpot, ours.e2e, report_.setup.undefined_is_bad) ? 1 : 0;
    const bool undefined = (wanted.ttft && std::isnan(ours.ttft)) || (wanted.tpot && std::isnan(ours.tpot)) ||
                           (wanted.e2el && std::isnan(ours.e2e));
    report_.good_undefined += undefined ? 1 : 0;
  }

  void add_failure(const StreamRecord& record) {
    ++report_.vllm.failed;
    ++report_.failures[std::string(stream_end_name(record.end))];
    ++report_.failure_reasons[record.reason.empty() ? "Not sent" : record.reason];
    for (const ChunkTime& chunk : record.chunks) {
      if (chunk.output) report_.failed_output_tokens += std::max(chunk.tokens, 1);
    }
  }

  void add_server(const ServerSide& side) {
    const auto add = [this](auto& sum, const auto& value) {
      if (!value || (plays_ > 0 && !sum)) {
        sum.reset();
      } else {
        sum = sum.value_or(0) + *value;
      }
    };
    ServerSide& sum = report_.server;
    add(sum.query_tokens, side.query_tokens);
    add(sum.hit_tokens, side.hit_tokens);
    add(sum.preemptions, side.preemptions);
    if (!side.misses || (plays_ > 0 && !sum.misses)) {
      sum.misses.reset();
    } else {
      if (!sum.misses) sum.misses.emplace();
      for (std::size_t i = 0; i < side.misses->size(); ++i) (*sum.misses)[i] += (*side.misses)[i];
    }
    if (side.peak_kv_bytes) sum.peak_kv_bytes = std::max(sum.peak_kv_bytes.value_or(0), *side.peak_kv_bytes);
    if (side.peak_kv_usage) sum.peak_kv_usage = std::max(sum.peak_kv_usage.value_or(0), *side.peak_kv_usage);
    sum.reads += side.reads;
    sum.gaps += side.gaps;
    ++plays_;
  }

  void finish_vllm() {
    BenchResult& vllm = report_.vllm;
    vllm.ttft = summarize(std::move(vllm_.ttft));
    vllm.tpot = summarize(std::move(vllm_.tpot));
    vllm.itl = summarize(std::move(vllm_.itl_chunk));
    vllm.e2el = summarize(std::move(vllm_.e2e));
    const auto rate = [&](std::int64_t count) {
      return vllm.duration_s > 0 ? static_cast<double>(count) / vllm.duration_s : 0;
    };
    vllm.request_throughput = rate(vllm.completed);
    vllm.output_throughput = rate(vllm.output_tokens);
    vllm.total_token_throughput = rate(vllm.input_tokens + vllm.output_tokens);
    report_.vllm_goodput = report_.setup.objectives.any() ? rate(vllm_good_) : kNaN;
    const ServerSide& server = report_.server;
    vllm.query_tokens = server.query_tokens.value_or(0);
    vllm.hit_tokens = server.hit_tokens.value_or(0);
    vllm.preemptions = server.preemptions.value_or(0);
    vllm.peak_kv_bytes = server.peak_kv_bytes.value_or(0);
    if (server.misses) vllm.misses = *server.misses;
  }

  void finish_ours() {
    report_.ttft = summarize(std::move(ours_.ttft));
    report_.ttfa = summarize(std::move(ours_.ttfa));
    report_.tpot = summarize(std::move(ours_.tpot));
    report_.itl_chunk = summarize(std::move(ours_.itl_chunk));
    report_.itl_token = summarize(std::move(ours_.itl_token));
    report_.e2e = summarize(std::move(ours_.e2e));
    report_.stream_end = summarize(std::move(ours_.stream_end));
    report_.ttft_due = summarize(std::move(ours_.ttft_due));
    report_.e2e_due = summarize(std::move(ours_.e2e_due));
    report_.lag.slip_ms = summarize(std::move(slip_ms_));
    if (plays_ == 0 || report_.lag.loop_delay_ms.n == 0) report_.lag.loop_delay_ms = summarize({});
    const auto rate = [&](std::int64_t count) {
      return report_.window_s > 0 ? static_cast<double>(count) / report_.window_s : 0;
    };
    const BenchResult& vllm = report_.vllm;
    report_.request_throughput = rate(vllm.completed);
    report_.output_throughput = rate(vllm.output_tokens);
    report_.total_token_throughput = rate(vllm.input_tokens + vllm.output_tokens);
    report_.goodput = report_.setup.objectives.any() ? rate(report_.good) : kNaN;
    const bool paced = report_.setup.open_loop && sending_s_ > 0;
    report_.attained_rate = paced ? static_cast<double>(gaps_sent_) / sending_s_ : kNaN;
    report_.target_rate =
        paced && std::isfinite(report_.setup.request_rate) ? report_.setup.request_rate : kNaN;
    report_.hit_rate = hit_rate();
    keep_frequent_reasons();
  }

  /// By the requests' own usage; else by the server's counters.
  double hit_rate() const {
    if (cached_of_ > 0) return static_cast<double>(cached_tokens_) / static_cast<double>(cached_of_);
    const ServerSide& server = report_.server;
    if (!server.hit_tokens || server.query_tokens.value_or(0) <= 0) return kNaN;
    return static_cast<double>(*server.hit_tokens) / static_cast<double>(*server.query_tokens);
  }

  void keep_frequent_reasons() {
    auto& reasons = report_.failure_reasons;
    while (reasons.size() > kMostReasons) {
      reasons.erase(std::min_element(reasons.begin(), reasons.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; }));
    }
  }

  void warn() {
    const ClientLag& lag = report_.lag;
    const auto say = [this](std::string text) { report_.warnings.push_back(std::move(text)); };
    const double loop_limit =
        std::max(1.0, 0.1 * (std::isnan(report_.itl_chunk.p50) ? 0 : report_.itl_chunk.p50));
    if (lag.loop_delay_ms.n > 0 && lag.loop_delay_ms.p99 > loop_limit) {
      say(fmt::format(
          "The generator's loop was late by {:.1f} ms at p99: times of chunks are doubtful. Give it a "
          "core of its own",
          lag.loop_delay_ms.p99));
    }
    const double slip_limit = std::max(5.0, 0.05 * (std::isnan(report_.ttft.p50) ? 0 : report_.ttft.p50));
    if (report_.setup.open_loop && lag.slip_ms.n > 0 && lag.slip_ms.p99 > slip_limit) {
      say(fmt::format("Requests were sent {:.1f} ms late at p99: the load is not the one that was asked for",
                      lag.slip_ms.p99));
    }
    if (report_.held_back > 0) {
      say(fmt::format(
          "{} requests waited for a place under max-concurrency: the arrivals are not those of the "
          "schedule; latency from the schedule has that wait in it",
          report_.held_back));
    }
    constexpr double kRandomHits = 0.01;
    if (!report_.setup.shares_prefixes && report_.hit_rate > kRandomHits) {
      say(fmt::format(
          "{:.1f} % of the prompt tokens were in the server's prefix cache although no prompts share "
          "any: an earlier run with this seed has warmed it. Take another --seed",
          100 * report_.hit_rate));
    }
    if (report_.count_mismatches > 0) {
      say(fmt::format("{} streams hold another number of tokens than their usage says; usage is what counts",
                      report_.count_mismatches));
    }
    if (!report_.setup.objectives.note.empty()) say(report_.setup.objectives.note);
  }

  LoadReport report_;
  Samples vllm_, ours_;
  std::vector<double> slip_ms_;
  double sending_s_ = 0;
  std::int64_t gaps_sent_ = 0, vllm_good_ = 0, cached_tokens_ = 0, cached_of_ = 0;
  int plays_ = 0;
};

}  // namespace

LoadReport make_report(const LoadSetup& setup, std::span<const PlayedLoad> plays) {
  LoadReport report = ReportMaker(setup).make(plays);
  if (plays.size() < 2) return report;
  for (const PlayedLoad& play : plays) {
    for (const auto& [name, value] : headline_figures(ReportMaker(setup).make({&play, 1})))
      report.repeated[name].values.push_back(value);
  }
  for (auto& [name, figure] : report.repeated) figure.interval = mean_interval(figure.values);
  return report;
}

std::map<std::string, double> headline_figures(const LoadReport& report) {
  return {{"request_throughput", report.request_throughput},
          {"output_throughput", report.output_throughput},
          {"total_token_throughput", report.total_token_throughput},
          {"goodput", report.goodput},
          {"p50_ttft_ms", report.ttft.p50},
          {"p99_ttft_ms", report.ttft.p99},
          {"p50_tpot_ms", report.tpot.p50},
          {"p99_tpot_ms", report.tpot.p99},
          {"p99_itl_ms", report.itl_token.p99},
          {"p50_e2el_ms", report.e2e.p50},
          {"p99_e2el_ms", report.e2e.p99}};
}

}  // namespace pitwall
