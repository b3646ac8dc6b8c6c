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

constexpr int kColumns = 2, kFreeCell = 5;
constexpr double kShortestSpan = 5,
                 kHistorySpan = 600;     // s: of points a second apart, as a snapshot has them
constexpr std::size_t kNamedSpikes = 3;  // the longest: more would cover each other
constexpr std::size_t kBatchSteps = 60;  // wide enough to be told apart

/// A young engine does not fill the window: the axis starts at 30 s and doubles until it does.
double span_of(double age, double window) {
  double span = 30;
  while (span < age && span < window) span *= 2;
  return std::min(span, window);
}

/// Where a chart over time ends: the last full second, as what is drawn comes once a second; a lap is seen at
/// once.
double newest_edge(const Snapshot& snapshot, const std::vector<ChartLap>& laps) {
  const double now = seconds_of(snapshot.utc);
  if (snapshot.history.empty()) return now;
  const double newest = seconds_of(snapshot.history.back().utc);
  const double edge = newest + std::floor(std::max(0.0, now - newest));
  return laps.empty() ? edge : std::max(edge, std::min(laps.back().at, now));
}

}  // namespace

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
  queue_ = add(7, {QStringLiteral("serve.chart.queue"), tr("Queue time"), tr("ms"),
                   tr("How long until a request's first step?"), true});
  add_distributions();
  connect(itl_, &LineChart::mark_chosen, this, [this](int mark) {
    if (mark < std::ssize(spikes_)) Q_EMIT step_chosen(spikes_[static_cast<std::size_t>(mark)]);
  });
}

void ServeCharts::add_distributions() {
  LineChart::Spec spec{QStringLiteral("serve.chart.distribution"), tr("Distribution"), tr("%"),
                       tr("How long does it take, mostly?"), false};
  spec.x = XAxis::log;
  spec.x_name = tr("ms");
  spec.names_at_lines = true;
  distribution_ = new LineChart(spec, this);
  place(distribution_, 8);
  cdf_ = new CdfChart({QStringLiteral("serve.chart.cdf"), tr("Tail"), tr("How bad is the worst?"), tr("ms")},
                      true, this);
  place(cdf_, 9);
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
  std::vector<ChartMark> guides;
  const auto line = [&](LineChart* chart, const QString& name, const std::optional<double>& ms) {
    std::vector<ChartLimit> limits;
    if (ms) limits.push_back({tr("SLO %1").arg(three_digits(*ms)), *ms});
    chart->set_limits(std::move(limits));
    if (ms)
      guides.push_back(
          {ChartMark::Shape::guide, *ms, 0, Colour::bad, tr("%1 SLO %2").arg(name, three_digits(*ms))});
  };
  line(ttft_, tr("TTFT"), objectives.ttft);
  line(tpot_, tr("TPOT"), objectives.tpot);
  cdf_->set_marks(std::move(guides));
}

void ServeCharts::set_spikes(const std::vector<ServeEvent>& events) {
  std::vector<const ServeEvent*> spikes;
  for (const ServeEvent& event : events)
    if (event.kind == ServeEvent::Kind::spike) spikes.push_back(&event);
  std::stable_sort(spikes.begin(), spikes.end(), [](const auto* a, const auto* b) { return a->ms > b->ms; });
  spikes.resize(std::min(spikes.size(), kNamedSpikes));
  std::vector<ChartMark> marks;
  spikes_.clear();
  for (const ServeEvent* event : spikes) {
    marks.push_back({ChartMark::Shape::ring, event->at, event->ms, Colour::bad, ms_text(event->ms)});
    spikes_.push_back(event->step);
  }
  itl_->set_marks(std::move(marks));
}

void ServeCharts::set_snapshot(std::shared_ptr<const Snapshot> snapshot, int window_seconds,
                               const std::vector<StepSpan>& steps) {
  snapshot_ = std::move(snapshot);
  steps_ = &steps;
  std::vector<ChartLap> laps = laps_of(snapshot_->changes, snapshot_->first_lap);
  const double now = newest_edge(*snapshot_, laps);
  if (!zoomed_) x_ = {now - span_of(now - seconds_of(snapshot_->started_utc), window_seconds), now};
  Shown shown{x_,
              now,
              snapshot_->started_utc,
              std::move(laps),
              snapshot_->run.value > 0 ? run_name(snapshot_->run.value) : QString(),
              snapshot_->running == 0};
  if (shown == shown_) return;
  shown_ = std::move(shown);
  ++version_;
  seconds_.clear();
  for (const SecondRecord& second : snapshot_->history)
    if (seconds_of(second.utc) >= x_.low - 1 && seconds_of(second.utc) <= x_.high + 1)
      seconds_.push_back(second);
}

std::vector<std::function<void()>> ServeCharts::drawings() {
  std::vector<std::function<void()>> all;
  const auto add = [&](QWidget* chart, std::function<void()> draw) {
    all.emplace_back([this, chart, draw = std::move(draw), drawn = std::uint64_t{0}]() mutable {
      if (drawn == version_ || !chart->isVisible()) return;
      drawn = version_;
      draw();
    });
  };
  const auto latency = [&](LineChart* chart, Percentiles SecondRecord::*measure, Colour colour) {
    add(chart, [this, chart, measure, colour] { draw_latency(chart, measure, colour); });
  };
  latency(itl_, &SecondRecord::itl, Colour::itl);
  latency(ttft_, &SecondRecord::ttft, Colour::ttft);
  add(throughput_, [this] {
    frame(throughput_);
    throughput_->set_series(throughput_series(seconds_));
  });
  add(memory_, [this] { draw_memory(); });
  all.emplace_back([this] {  // its steps come faster
    if (!snapshot_ || !batch_->isVisible()) return;
    batch_->set_source(shown_.source);
    batch_->set_laps(shown_.laps);
    batch_->set_steps(steps_, kBatchSteps);
  });
  latency(tpot_, &SecondRecord::tpot, Colour::tpot);
  latency(queue_, &SecondRecord::queue, Colour::queue);
  add(distribution_, [this] {
    distribution_->set_source(shown_.source);
    distribution_->set_note(snapshot_->itl.n == 0 ? tr("No token yet") : QString());
    distribution_->set_series(distribution_series(snapshot_->sketches));
  });
  add(cdf_, [this] {
    cdf_->set_source(shown_.source);
    cdf_->set_curves(cdf_curves(snapshot_->sketches));
  });
  return all;
}

void ServeCharts::frame(LineChart* chart) const {
  chart->set_time_range(x_.low, x_.high);
  chart->set_laps(shown_.laps);
  chart->set_source(shown_.source);
}

void ServeCharts::draw_latency(LineChart* chart, Percentiles SecondRecord::*measure, Colour colour) {
  frame(chart);
  std::vector<ChartSeries> lines = percentile_series(seconds_, measure, colour);
  if (chart == itl_) {  // one long step touches a few gaps in thousands: p99 stays calm, the largest does not
    ChartSeries largest{tr("max"), colour, Stroke::marks, 1.2, lines.front().x, {}};
    for (const SecondRecord& second : seconds_)
      largest.y.push_back(second.itl.n > 0 ? second.itl.max : std::numeric_limits<double>::quiet_NaN());
    lines.push_back(std::move(largest));
  }
  chart->set_note(missing_text(seconds_, measure));
  chart->set_series(std::move(lines));
}

void ServeCharts::draw_memory() {
  const LedgerSnapshot& ledger = snapshot_->ledger;
  const Bytes unit = std::max(ledger.accounted(), ledger.measured) < kGiB ? kMiB : kGiB;
  memory_->set_time_range(x_.low, x_.high);
  memory_->set_laps(shown_.laps);
  memory_->set_source(shown_.source);
  std::vector<ChartLimit> limits;
  if (ledger.limit > 0)
    limits.push_back({tr("limit %1").arg(bytes_text(ledger.limit)),
                      static_cast<double>(ledger.limit) / static_cast<double>(unit)});
  memory_->set_limits(std::move(limits));
  memory_->set_data(memory_stack(seconds_, ledger, unit), unit == kGiB ? tr("GiB") : tr("MiB"));
}

}  // namespace pitwall::ui
