// SPDX-License-Identifier: GPL-3.0-or-later
// The serve page's charts: ITL, TTFT, TPOT, queue time, throughput and memory over time, with one crosshair,
// one span and the same laps on all of them; the newest steps; and how the latencies are distributed.
#pragma once
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "engine/bench/goodput.h"
#include "ui/serve/chart_series.h"
#include "ui/serve/event_log.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/step_chart.h"
#include "ui/widgets/ticks.h"

namespace pitwall::ui {

/// Keys inside: + and − zoom around the crosshair, 0 shows the window again; dragging shows a span on all.
class ServeCharts : public QWidget {
  Q_OBJECT

 public:
  explicit ServeCharts(QWidget* parent = nullptr);
  /// What the drawings show from now on; they draw when they are called, charts of seconds once a second.
  /// `steps` of the same engine, not owned.
  void set_snapshot(std::shared_ptr<const Snapshot> snapshot, int window_seconds,
                    const std::vector<StepSpan>& steps);
  /// One a chart: each does nothing while its chart is hidden or shows all there is.
  std::vector<std::function<void()>> drawings();

  void set_objectives(const Objectives& objectives);       ///< lines on TTFT, TPOT and the distribution
  void set_spikes(const std::vector<ServeEvent>& events);  ///< rings on ITL, of those that are spikes
  void add_beside_batch(QWidget* widget);
  void show_span(double from, double to);
  void set_crosshair(double at);  ///< UTC seconds; NaN frees it
  void show_window();             ///< follow the newest again
  bool zoomed() const { return zoomed_; }

 Q_SIGNALS:
  void redraw_asked();             ///< of the last snapshot, as the span is another
  void step_chosen(quint64 step);  ///< by the ring of its spike

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  LineChart* add(int cell, const LineChart::Spec& spec);
  void add_distributions();
  void place(QWidget* widget, int cell);
  template <class Chart>
  void link(Chart* chart);
  void draw_latency(LineChart* chart, Percentiles SecondRecord::*measure, Colour colour);
  void draw_memory();
  void frame(LineChart* chart) const;  ///< its span, laps and source

  std::vector<LineChart*> charts_;  ///< over time
  LineChart *itl_, *ttft_, *tpot_, *queue_, *throughput_, *distribution_;
  CdfChart* cdf_;
  StackChart* memory_;
  StepChart* batch_;
  std::vector<std::uint64_t> spikes_;  ///< steps of the rings

  /// What charts of seconds depend on: while it stays the same, they have nothing new to show.
  struct Shown {
    AxisLimits x{0, 0};
    double newest = 0;
    Nanos started = 0;
    std::vector<ChartLap> laps;
    QString source;
    bool idle = false;
    bool operator==(const Shown&) const = default;
  };

  std::shared_ptr<const Snapshot> snapshot_;
  Shown shown_;
  std::uint64_t version_ = 0;          ///< of `shown_`
  std::vector<SecondRecord> seconds_;  ///< of the span
  const std::vector<StepSpan>* steps_ = nullptr;
  AxisLimits x_{0, 0};
  bool zoomed_ = false;
};

}  // namespace pitwall::ui
