// SPDX-License-Identifier: GPL-3.0-or-later
// The serve page's charts: ITL, TTFT, TPOT, throughput and memory over time, with one crosshair, one span and
// the same laps on all of them; the newest steps; and how everything since the start is distributed.
#pragma once
#include <QWidget>
#include <vector>

#include "engine/bench/goodput.h"
#include "engine/telemetry/recorder.h"
#include "ui/serve/event_log.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/stack_chart.h"
#include "ui/widgets/step_chart.h"
#include "ui/widgets/ticks.h"

namespace pitwall::ui {

/// p50, p90 and p99 of a measure over the seconds; a percentile without enough samples (20, 100) is a gap.
std::vector<ChartSeries> percentile_series(const std::vector<SecondRecord>& seconds,
                                           Percentiles SecondRecord::*measure, Colour colour);
std::vector<ChartSeries> throughput_series(const std::vector<SecondRecord>& seconds);
std::vector<ChartSeries> memory_series(const std::vector<SecondRecord>& seconds, Bytes unit);

/// The share of what has happened since start that took at most so long, on the recorder's edges.
std::vector<ChartSeries> distribution_series(const Recorder& recorder);
/// Weights, working memory and the KV pool's parts, with what the system says, in units of `unit`.
StackData memory_stack(const std::vector<SecondRecord>& seconds, const LedgerSnapshot& ledger, Bytes unit);

/// Keys inside: + and − zoom around the crosshair, 0 shows the window again; dragging shows a span on all.
class ServeCharts : public QWidget {
  Q_OBJECT

 public:
  explicit ServeCharts(QWidget* parent = nullptr);
  /// `steps` of the same engine, not owned; `recorder` null once it has stopped.
  void show_snapshot(const Snapshot& snapshot, int window_seconds, const std::vector<StepSpan>& steps,
                     const Recorder* recorder);
  void set_objectives(const Objectives& objectives);       ///< lines on TTFT and TPOT
  void set_spikes(const std::vector<ServeEvent>& events);  ///< rings on ITL, of those that are spikes
  void add_beside_batch(QWidget* widget);
  void show_span(double from, double to);
  void set_crosshair(double at);  ///< UTC seconds; NaN frees it
  void show_window();             ///< follow the newest again
  bool zoomed() const { return zoomed_; }

 Q_SIGNALS:
  void redraw_asked();  ///< of the last snapshot, as the span is another

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  LineChart* add(int cell, const LineChart::Spec& spec);
  void place(QWidget* widget, int cell);
  template <class Chart>
  void link(Chart* chart);
  std::vector<LineChart*> charts_;  ///< over time
  LineChart *itl_, *ttft_, *tpot_, *throughput_, *distribution_;
  StackChart* memory_;
  StepChart* batch_;
  AxisLimits x_{0, 0};
  bool zoomed_ = false;
};

}  // namespace pitwall::ui
