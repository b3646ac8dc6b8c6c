// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/serve_charts.h"

#include <QGridLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kColumns = 2;

double seconds_of(Nanos utc) {
  return static_cast<double>(utc) / static_cast<double>(kNanosPerSecond);
}

template <class Value>
ChartSeries series(const QString& name, Colour colour, Stroke stroke, double width,
                   const std::vector<SecondRecord>& seconds, Value value) {
  ChartSeries line{name, colour, stroke, width, {}, {}};
  line.x.reserve(seconds.size());
  line.y.reserve(seconds.size());
  for (const SecondRecord& second : seconds) {
    line.x.push_back(seconds_of(second.utc));
    line.y.push_back(value(second));
  }
  return line;
}

bool any(const ChartSeries& line) {
  return std::any_of(line.y.begin(), line.y.end(), [](double y) { return std::isfinite(y) && y != 0; });
}

/// A young engine does not fill the window: the axis starts at 30 s and doubles until it does.
double span_of(double age, double window) {
  double span = 30;
  while (span < age && span < window) span *= 2;
  return std::min(span, window);
}

/// Why a percentile line is missing, from the newest second that has samples.
QString missing_text(const std::vector<SecondRecord>& seconds, Percentiles SecondRecord::*measure) {
  const auto newest = std::find_if(seconds.rbegin(), seconds.rend(),
                                   [&](const SecondRecord& second) { return (second.*measure).n > 0; });
  if (newest == seconds.rend()) return ServeCharts::tr("No request yet");
  const std::int64_t n = (*newest.*measure).n;
  if (n < kSamplesForP90) return ServeCharts::tr("n = %1: no p90 until n ≥ 20, no p99 until n ≥ 100").arg(n);
  if (n < kSamplesForP99) return ServeCharts::tr("n = %1: no p99 until n ≥ 100").arg(n);
  return {};
}

}  // namespace

std::vector<ChartSeries> percentile_series(const std::vector<SecondRecord>& seconds,
                                           Percentiles SecondRecord::*measure, Colour colour) {
  const auto at_least = [measure](std::int64_t n, double Percentiles::*which) {
    return [=](const SecondRecord& second) {
      const Percentiles& values = second.*measure;
      return values.n >= n ? values.*which : kNone;
    };
  };
  return {series(QStringLiteral("p50"), colour, Stroke::solid, 2.2, seconds, at_least(1, &Percentiles::p50)),
          series(QStringLiteral("p90"), colour, Stroke::dash, 1.3, seconds,
                 at_least(kSamplesForP90, &Percentiles::p90)),
          series(QStringLiteral("p99"), colour, Stroke::dots, 1.5, seconds,
                 at_least(kSamplesForP99, &Percentiles::p99))};
}

std::vector<ChartSeries> throughput_series(const std::vector<SecondRecord>& seconds) {
  return {series(ServeCharts::tr("output"), Colour::text, Stroke::solid, 2.2, seconds,
                 [](const SecondRecord& second) { return second.output_tokens_per_s; }),
          series(ServeCharts::tr("prompt"), Colour::ttft, Stroke::dash, 1.3, seconds,
                 [](const SecondRecord& second) { return second.prompt_tokens_per_s; })};
}

std::vector<ChartSeries> memory_series(const std::vector<SecondRecord>& seconds, Bytes unit) {
  const auto in_unit = [unit](Bytes SecondRecord::*which) {
    return [=](const SecondRecord& second) {
      return static_cast<double>(second.*which) / static_cast<double>(unit);
    };
  };
  std::vector<ChartSeries> lines{series(ServeCharts::tr("measured"), Colour::text, Stroke::solid, 2.2,
                                        seconds, in_unit(&SecondRecord::measured)),
                                 series(ServeCharts::tr("booked"), Colour::muted, Stroke::long_dash, 1.3,
                                        seconds, in_unit(&SecondRecord::accounted)),
                                 series(ServeCharts::tr("KV used"), Colour::kv_used, Stroke::solid, 2.2,
                                        seconds, in_unit(&SecondRecord::kv_used))};
  ChartSeries cached = series(ServeCharts::tr("KV cached"), Colour::kv_cached, Stroke::dash, 1.8, seconds,
                              in_unit(&SecondRecord::kv_cached));
  if (any(cached)) lines.push_back(std::move(cached));
  return lines;
}

ServeCharts::ServeCharts(QWidget* parent) : QWidget(parent) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(Theme::current().units(2.5));
  itl_ = add({QStringLiteral("serve.chart.itl"), tr("ITL"), tr("ms"), tr("Does any stream stutter?"), true});
  ttft_ = add({QStringLiteral("serve.chart.ttft"), tr("TTFT"), tr("ms"),
               tr("How long until the first token?"), true});
  tpot_ = add({QStringLiteral("serve.chart.tpot"), tr("TPOT"), tr("ms"),
               tr("How fast does each stream write?"), true});
  throughput_ = add({QStringLiteral("serve.chart.throughput"), tr("Throughput"), tr("tok/s"),
                     tr("What do we deliver?"), false});
  memory_ = add({QStringLiteral("serve.chart.memory"), tr("Memory"), tr("GiB"), tr("What grows?"), false});
}

LineChart* ServeCharts::add(const LineChart::Spec& spec) {
  auto* chart = new LineChart(spec, this);
  add_cell(chart);
  for (LineChart* other : charts_) {
    connect(chart, &LineChart::crosshair_moved, other, &LineChart::set_crosshair);
    connect(other, &LineChart::crosshair_moved, chart, &LineChart::set_crosshair);
  }
  charts_.push_back(chart);
  return chart;
}

void ServeCharts::add_cell(QWidget* widget) {
  auto* grid = static_cast<QGridLayout*>(layout());
  const int cell = grid->count();
  grid->addWidget(widget, cell / kColumns, cell % kColumns);
  grid->setRowStretch(cell / kColumns, 1);
  grid->setColumnStretch(cell % kColumns, 1);
}

void ServeCharts::show_snapshot(const Snapshot& snapshot, int window_seconds) {
  const double now = seconds_of(snapshot.utc);
  const double shown_seconds = span_of(now - seconds_of(snapshot.started_utc), window_seconds);
  std::vector<SecondRecord> shown;
  for (const SecondRecord& second : snapshot.history)
    if (seconds_of(second.utc) >= now - shown_seconds - 1) shown.push_back(second);
  const auto latency = [&](LineChart* chart, Percentiles SecondRecord::*measure, Colour colour) {
    std::vector<ChartSeries> lines = percentile_series(shown, measure, colour);
    if (chart == itl_)  // one long step touches a few gaps in thousands: p99 stays calm, the largest does not
      lines.push_back(series(tr("max"), colour, Stroke::marks, 1.2, shown, [](const SecondRecord& second) {
        return second.itl.n > 0 ? second.itl.max : kNone;
      }));
    chart->set_series(std::move(lines));
    chart->set_note(missing_text(shown, measure));
  };
  for (LineChart* chart : charts_) {
    chart->set_time_range(now - shown_seconds, now);
    chart->set_source(snapshot.run.value > 0 ? run_name(snapshot.run.value) : QString());
  }
  latency(itl_, &SecondRecord::itl, Colour::itl);
  latency(ttft_, &SecondRecord::ttft, Colour::ttft);
  latency(tpot_, &SecondRecord::tpot, Colour::tpot);
  throughput_->set_series(throughput_series(shown));
  memory_->set_series(memory_series(shown, kGiB));
}

}  // namespace pitwall::ui
