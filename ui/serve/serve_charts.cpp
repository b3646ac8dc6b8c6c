// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/serve_charts.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/serve/laps.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kColumns = 2, kFreeCell = 5;
constexpr double kShortestSpan = 5,
                 kHistorySpan = 600;     // s: of points a second apart, as a snapshot has them
constexpr std::size_t kNamedSpikes = 3;  // the longest: more would cover each other
constexpr std::size_t kBatchSteps = 60;  // wide enough to be told apart

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

std::vector<ChartSeries> distribution_series(const Recorder& recorder) {
  const auto line = [&](const QString& name, Recorder::Measure measure, Colour colour, Stroke stroke) {
    ChartSeries series{name, colour, stroke, 2, {}, {}};
    const Recorder::Histogram counts = recorder.histogram(measure);
    const std::vector<double>& edges = Recorder::edges(measure);
    for (std::size_t i = 0; i < edges.size() && counts.count > 0; ++i) {
      // From the last edge under which nothing is to the first that everything is under.
      if (i + 1 < edges.size() && counts.cumulative[i + 1] == 0) continue;
      series.x.push_back(edges[i] * 1000);
      series.y.push_back(100.0 * static_cast<double>(counts.cumulative[i]) /
                         static_cast<double>(counts.count));
      if (counts.cumulative[i] == counts.count) break;
    }
    return series;
  };
  using Measure = Recorder::Measure;
  return {line(ServeCharts::tr("ITL"), Measure::itl, Colour::itl, Stroke::solid),
          line(ServeCharts::tr("TPOT"), Measure::tpot, Colour::tpot, Stroke::long_dash),
          line(ServeCharts::tr("TTFT"), Measure::ttft, Colour::ttft, Stroke::dash),
          line(ServeCharts::tr("queue"), Measure::queue, Colour::queue, Stroke::dash_dot)};
}

StackData memory_stack(const std::vector<SecondRecord>& seconds, const LedgerSnapshot& ledger, Bytes unit) {
  StackData data;
  data.line_name = ServeCharts::tr("system says");
  const auto layer = [&](const QString& name, Colour colour, FillPattern pattern, auto bytes) {
    StackLayer made{name, colour, pattern, {}};
    for (const SecondRecord& second : seconds)
      made.y.push_back(std::max(0.0, static_cast<double>(bytes(second)) / static_cast<double>(unit)));
    data.layers.push_back(std::move(made));
  };
  const Bytes weights = ledger.of(Category::weights);
  layer(ServeCharts::tr("Weights"), Colour::weights, FillPattern::solid,
        [=](const SecondRecord&) { return weights; });
  layer(ServeCharts::tr("Working memory"), Colour::activations, FillPattern::solid,
        [=](const SecondRecord& s) {
          return s.accounted - weights - s.kv_used - s.kv_cached - s.kv_quarantined - s.kv_free;
        });
  layer(ServeCharts::tr("KV used"), Colour::kv_used, FillPattern::solid,
        [](const SecondRecord& s) { return s.kv_used; });
  layer(ServeCharts::tr("KV cached"), Colour::kv_cached, FillPattern::slashes,
        [](const SecondRecord& s) { return s.kv_cached; });
  layer(ServeCharts::tr("KV quarantined"), Colour::kv_quarantined, FillPattern::crosses,
        [](const SecondRecord& s) { return s.kv_quarantined; });
  layer(ServeCharts::tr("KV free"), Colour::kv_free, FillPattern::dashed_frame,
        [](const SecondRecord& s) { return s.kv_free; });
  for (const SecondRecord& second : seconds) {
    data.x.push_back(seconds_of(second.utc));
    data.line.push_back(static_cast<double>(second.measured) / static_cast<double>(unit));
  }
  return data;
}

ServeCharts::ServeCharts(QWidget* parent) : QWidget(parent) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(Theme::current().units(2.5));
  itl_ =
      add(0, {QStringLiteral("serve.chart.itl"), tr("ITL"), tr("ms"), tr("Does any stream stutter?"), true});
  ttft_ = add(1, {QStringLiteral("serve.chart.ttft"), tr("TTFT"), tr("ms"),
                  tr("How long until the first token?"), true});
  throughput_ = add(2, {QStringLiteral("serve.chart.throughput"), tr("Throughput"), tr("tok/s"),
                        tr("What do we deliver?"), false});
  memory_ =
      new StackChart(QStringLiteral("serve.chart.memory"), tr("Memory over time"), tr("What grows?"), this);
  link(memory_);
  place(memory_, 3);
  batch_ =
      new StepChart(QStringLiteral("serve.chart.batch"), tr("Batch by step"), tr("Who shares a step?"), this);
  place(batch_, 4);
  tpot_ = add(6, {QStringLiteral("serve.chart.tpot"), tr("TPOT"), tr("ms"),
                  tr("How fast does each stream write?"), true});
  LineChart::Spec spec{QStringLiteral("serve.chart.distribution"), tr("Distribution"), tr("%"),
                       tr("How many waited longer?"), false};
  spec.x = XAxis::log;
  spec.x_name = tr("ms");
  distribution_ = new LineChart(spec, this);
  place(distribution_, 7);
}

LineChart* ServeCharts::add(int cell, const LineChart::Spec& spec) {
  auto* chart = new LineChart(spec, this);
  place(chart, cell);
  link(chart);
  charts_.push_back(chart);
  return chart;
}

template <class Chart>
void ServeCharts::link(Chart* chart) {
  connect(chart, &Chart::crosshair_moved, this, &ServeCharts::set_crosshair);
  connect(chart, &Chart::span_chosen, this, &ServeCharts::show_span);
}

void ServeCharts::set_crosshair(double at) {
  for (LineChart* chart : charts_)
    if (chart->crosshair() != at) chart->set_crosshair(at);
  if (memory_->crosshair() != at) memory_->set_crosshair(at);
}

void ServeCharts::add_beside_batch(QWidget* widget) {
  place(widget, kFreeCell);
}

void ServeCharts::place(QWidget* widget, int cell) {
  auto* grid = static_cast<QGridLayout*>(layout());
  grid->addWidget(widget, cell / kColumns, cell % kColumns);
  grid->setRowStretch(cell / kColumns, 1);
  grid->setColumnStretch(cell % kColumns, 1);
}

void ServeCharts::show_span(double from, double to) {
  zoomed_ = true;
  x_ = {from, std::max(to, from + kShortestSpan)};
  Q_EMIT redraw_asked();
}

void ServeCharts::show_window() {
  zoomed_ = false;
  Q_EMIT redraw_asked();
}

void ServeCharts::keyPressEvent(QKeyEvent* event) {
  const bool closer = event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal;
  if (event->key() == Qt::Key_0) return show_window();
  if (!closer && event->key() != Qt::Key_Minus) return QWidget::keyPressEvent(event);
  const double crosshair = itl_->crosshair();
  const double around = std::isfinite(crosshair) ? crosshair : closer ? x_.high : (x_.low + x_.high) / 2;
  const double wide = (x_.high - x_.low) * (closer ? 0.5 : 2);
  const double share = std::clamp((around - x_.low) / (x_.high - x_.low), 0.0, 1.0);
  if (wide > kHistorySpan) return show_window();
  show_span(around - share * wide, around + (1 - share) * wide);
}

void ServeCharts::set_objectives(const Objectives& objectives) {
  const auto line = [](LineChart* chart, const std::optional<double>& ms) {
    std::vector<ChartLimit> limits;
    if (ms) limits.push_back({tr("SLO %1").arg(three_digits(*ms)), *ms});
    chart->set_limits(std::move(limits));
  };
  line(ttft_, objectives.ttft);
  line(tpot_, objectives.tpot);
}

void ServeCharts::set_spikes(const std::vector<ServeEvent>& events) {
  std::vector<ChartMark> marks;
  for (const ServeEvent& event : events) {
    if (event.kind != ServeEvent::Kind::spike) continue;
    marks.push_back({ChartMark::Shape::ring, event.at, event.ms, Colour::bad, ms_text(event.ms)});
  }
  std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.y > b.y; });
  marks.resize(std::min(marks.size(), kNamedSpikes));
  itl_->set_marks(std::move(marks));
}

void ServeCharts::show_snapshot(const Snapshot& snapshot, int window_seconds,
                                const std::vector<StepSpan>& steps, const Recorder* recorder) {
  const double now = seconds_of(snapshot.utc);
  if (!zoomed_) x_ = {now - span_of(now - seconds_of(snapshot.started_utc), window_seconds), now};
  std::vector<SecondRecord> shown;
  for (const SecondRecord& second : snapshot.history)
    if (seconds_of(second.utc) >= x_.low - 1 && seconds_of(second.utc) <= x_.high + 1)
      shown.push_back(second);
  const auto latency = [&](LineChart* chart, Percentiles SecondRecord::*measure, Colour colour) {
    std::vector<ChartSeries> lines = percentile_series(shown, measure, colour);
    if (chart == itl_)  // one long step touches a few gaps in thousands: p99 stays calm, the largest does not
      lines.push_back(series(tr("max"), colour, Stroke::marks, 1.2, shown, [](const SecondRecord& second) {
        return second.itl.n > 0 ? second.itl.max : kNone;
      }));
    chart->set_series(std::move(lines));
    chart->set_note(missing_text(shown, measure));
  };
  const std::vector<ChartLap> laps = laps_of(snapshot.changes);
  const QString source = snapshot.run.value > 0 ? run_name(snapshot.run.value) : QString();
  for (LineChart* chart : charts_) {
    chart->set_time_range(x_.low, x_.high);
    chart->set_laps(laps);
    chart->set_source(source);
  }
  latency(itl_, &SecondRecord::itl, Colour::itl);
  latency(ttft_, &SecondRecord::ttft, Colour::ttft);
  latency(tpot_, &SecondRecord::tpot, Colour::tpot);
  throughput_->set_series(throughput_series(shown));

  const LedgerSnapshot& ledger = snapshot.ledger;
  const Bytes unit = std::max(ledger.accounted(), ledger.measured) < kGiB ? kMiB : kGiB;
  memory_->set_time_range(x_.low, x_.high);
  memory_->set_laps(laps);
  memory_->set_source(source);
  std::vector<ChartLimit> limits;
  if (ledger.limit > 0)
    limits.push_back({tr("limit %1").arg(bytes_text(ledger.limit)),
                      static_cast<double>(ledger.limit) / static_cast<double>(unit)});
  memory_->set_limits(std::move(limits));
  memory_->set_data(memory_stack(shown, ledger, unit), unit == kGiB ? tr("GiB") : tr("MiB"));

  batch_->set_source(source);
  batch_->set_laps(laps);
  batch_->set_steps(&steps, kBatchSteps);
  distribution_->set_source(source);
  if (recorder != nullptr) {
    distribution_->set_series(distribution_series(*recorder));
    distribution_->set_note(snapshot.itl.n == 0 ? tr("No token yet") : QString());
  }
}

}  // namespace pitwall::ui
