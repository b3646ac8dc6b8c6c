// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/report/report_charts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/report/svg_text.h"
#include "engine/telemetry/laps.h"

namespace pitwall {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kTtft = "#7A3FB0";
constexpr const char* kTpot = "#8C2F12";
constexpr const char* kItl = "#00707A";
constexpr const char* kQueue = "#A87B00";
constexpr const char* kKvUsed = "#227D9A";
constexpr std::int64_t kP90Needs = 20, kP99Needs = 100;

struct TimeUnit {
  const char* name;
  double seconds;
};

/// Time since the start of the run, in the unit that keeps ticks short.
class TimeAxis {
 public:
  explicit TimeAxis(const Run& run) : start_(run.header.start_utc) {
    const Nanos last = run.seconds.empty() ? start_ : run.seconds.back().utc;
    const double seconds = static_cast<double>(last - start_) / kNanosPerSecond;
    unit_ = seconds > 7200 ? TimeUnit{"h", 3600} : seconds > 300 ? TimeUnit{"min", 60} : TimeUnit{"s", 1};
  }
  std::string label() const { return std::string(unit_.name) + " since the start"; }
  double at(Nanos utc) const { return static_cast<double>(utc - start_) / kNanosPerSecond / unit_.seconds; }

 private:
  Nanos start_;
  TimeUnit unit_{};
};

using SecondValue = std::function<double(const SecondRecord&)>;

/// A row that is missing between two others is a gap in the line.
SvgSeries over_time(const Run& run, const TimeAxis& time, std::string name, const char* hue, const char* dash,
                    const SecondValue& value) {
  SvgSeries series{std::move(name), hue, dash, {}, {}};
  Nanos previous = std::numeric_limits<Nanos>::max();
  for (const SecondRecord& second : run.seconds) {
    if (second.utc - kNanosPerSecond * 3 / 2 > previous) {
      series.x.push_back(time.at(second.utc));
      series.y.push_back(kNaN);
    }
    series.x.push_back(time.at(second.utc));
    series.y.push_back(value(second));
    previous = second.utc;
  }
  return series;
}

SvgChart latency_chart(const Run& run, const TimeAxis& time, const char* title, const char* question,
                       const char* hue, Percentiles SecondRecord::*measure) {
  const auto of = [&](double Percentiles::*percentile, std::int64_t needed) -> SecondValue {
    return [=](const SecondRecord& second) {
      const Percentiles& values = second.*measure;
      return values.n >= needed ? values.*percentile : kNaN;
    };
  };
  SvgChart chart{title, "ms", question, time.label(), true, {}};
  chart.series = {over_time(run, time, "p50", hue, "", of(&Percentiles::p50, 1)),
                  over_time(run, time, "p90", hue, "6 3", of(&Percentiles::p90, kP90Needs)),
                  over_time(run, time, "p99", hue, "2 2", of(&Percentiles::p99, kP99Needs)),
                  over_time(run, time, "max", hue, "1 3", of(&Percentiles::max, 1))};
  return chart;
}

SvgChart throughput_chart(const Run& run, const TimeAxis& time) {
  SvgChart chart{"Throughput", "tok/s", "What is delivered?", time.label(), false, {}};
  chart.series = {
      over_time(run, time, "output", colour::kText, "", [](const auto& s) { return s.output_tokens_per_s; }),
      over_time(run, time, "prompt", kTtft, "5 3", [](const auto& s) { return s.prompt_tokens_per_s; })};
  return chart;
}

SvgChart load_chart(const Run& run, const TimeAxis& time) {
  SvgChart chart{"Requests in the engine", "requests", "Does the queue grow?", time.label(), false, {}};
  chart.series = {
      over_time(run, time, "running", colour::kText, "", [](const auto& s) { return double(s.running); }),
      over_time(run, time, "waiting", kQueue, "5 3", [](const auto& s) { return double(s.waiting); })};
  return chart;
}

SvgChart memory_chart(const Run& run, const TimeAxis& time) {
  const auto gib = [](Bytes bytes) { return static_cast<double>(bytes) / static_cast<double>(kGiB); };
  SvgChart chart{"Memory over time", "GiB", "What grows?", time.label(), false, {}};
  chart.series = {
      over_time(run, time, "measured", colour::kText, "",
                [&](const auto& s) { return s.measured > 0 ? gib(s.measured) : std::nan(""); }),
      over_time(run, time, "accounted", colour::kMuted, "5 3",
                [&](const auto& s) { return gib(s.accounted); }),
      over_time(run, time, "KV used", kKvUsed, "", [&](const auto& s) { return gib(s.kv_used); })};
  // A far limit would press the lines flat; the memory bar shows it in any case.
  Bytes peak = 0;
  for (const SecondRecord& second : run.seconds) peak = std::max(peak, second.measured);
  if (const Bytes limit = run.summary.ledger.limit; limit > 0 && peak > limit / 2) {
    chart.series.push_back(
        over_time(run, time, "limit", colour::kBad, "2 2", [&](const auto&) { return gib(limit); }));
  }
  return chart;
}

SvgChart spread_chart(const Run& run) {
  SvgChart chart{"Spread over requests and gaps",
                 "% of requests, for ITL of gaps",
                 "What do the slowest feel?",
                 "ms, log",
                 false,
                 {}};
  chart.log_x = chart.nines_y = true;
  const auto add = [&](const char* name, const char* hue, const char* dash,
                       double (RequestRecord::*measure)() const) {
    chart.series.push_back({name, hue, dash, {}, {}});
    draw_cdf(cdf_of(values_of(run.requests, measure)), chart.series.back());
  };
  add("E2E", colour::kMuted, "9 3 2 3", &RequestRecord::e2e_ms);
  add("TTFT", kTtft, "", &RequestRecord::ttft_ms);
  add("max ITL", kItl, "2 2", &RequestRecord::max_itl_ms);
  add("TPOT", kTpot, "7 3", &RequestRecord::tpot_ms);
  chart.series.push_back({"ITL", kItl, "", {}, {}});
  draw_cdf(cdf_of(run.itl), chart.series.back());
  return chart;
}

}  // namespace

void draw_cdf(const Cdf& cdf, SvgSeries& series) {
  for (const CdfCorner& corner : staircase(cdf)) {
    series.x.push_back(corner.value);
    series.y.push_back(nines_of(corner.share));
  }
}

std::vector<SvgChart> run_charts(const Run& run) {
  const TimeAxis time(run);
  std::vector<SvgChart> charts = {
      latency_chart(run, time, "ITL", "Does any stream stutter?", kItl, &SecondRecord::itl),
      latency_chart(run, time, "TTFT", "How long until the first token?", kTtft, &SecondRecord::ttft),
      latency_chart(run, time, "TPOT", "How fast does text flow?", kTpot, &SecondRecord::tpot),
      throughput_chart(run, time),
      load_chart(run, time),
      memory_chart(run, time),
      latency_chart(run, time, "Queue", "How long until a request is scheduled?", kQueue,
                    &SecondRecord::queue)};
  for (SvgChart& chart : charts)
    for (const Lap& lap : laps(run.changes)) chart.laps.push_back({time.at(lap.utc()), lap.number});
  charts.push_back(spread_chart(run));
  return charts;
}

}  // namespace pitwall
