// SPDX-License-Identifier: GPL-3.0-or-later
// The serve page's time charts: ITL, TTFT, TPOT, throughput and memory, with one crosshair through all of
// them.
#pragma once
#include <QWidget>
#include <vector>

#include "engine/telemetry/snapshot.h"
#include "ui/widgets/line_chart.h"

namespace pitwall::ui {

/// p50, p90 and p99 of a measure over the seconds; a percentile without enough samples (20, 100) is a gap.
std::vector<ChartSeries> percentile_series(const std::vector<SecondRecord>& seconds,
                                           Percentiles SecondRecord::*measure, Colour colour);
std::vector<ChartSeries> throughput_series(const std::vector<SecondRecord>& seconds);
std::vector<ChartSeries> memory_series(const std::vector<SecondRecord>& seconds, Bytes unit);

class ServeCharts : public QWidget {
  Q_OBJECT

 public:
  explicit ServeCharts(QWidget* parent = nullptr);
  void show_snapshot(const Snapshot& snapshot, int window_seconds);
  const std::vector<LineChart*>& charts() const { return charts_; }
  void add_cell(QWidget* widget);  ///< beside the last chart

 private:
  LineChart* add(const LineChart::Spec& spec);
  std::vector<LineChart*> charts_;
  LineChart *itl_, *ttft_, *tpot_, *throughput_, *memory_;
};

}  // namespace pitwall::ui
