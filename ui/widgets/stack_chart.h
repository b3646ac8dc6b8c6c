// SPDX-License-Identifier: GPL-3.0-or-later
// StackChart: amounts that add up, over time, as filled layers from 0, with lines for what they are held
// against. Painted by hand: a stacked area of Qt Charts costs many times as much.
#pragma once
#include <vector>

#include "ui/widgets/line_chart.h"
#include "ui/widgets/memory_parts.h"

namespace pitwall::ui {

class StackPlot;

struct StackLayer {
  QString name;
  Colour colour = Colour::text;
  FillPattern pattern = FillPattern::solid;
  std::vector<double> y;  ///< one a sample, not negative
};
struct StackData {
  std::vector<double> x;           ///< UTC seconds, ascending
  std::vector<StackLayer> layers;  ///< from the bottom up
  QString line_name;               ///< what else says how much it is
  std::vector<double> line;        ///< one a sample, or none at all
};

/// Keys inside as in LineChart.
class StackChart : public ChartCard {
  Q_OBJECT

 public:
  StackChart(const QString& id, const QString& title, const QString& question, QWidget* parent = nullptr);

  void set_data(StackData data, const QString& unit);
  void set_limits(std::vector<ChartLimit> limits);
  void set_laps(const std::vector<ChartLap>& laps);
  void set_time_range(double from, double to);
  double crosshair() const;
  QString summary() const;  ///< the accessible description

 public Q_SLOTS:
  void set_crosshair(double x);  ///< NaN frees it

 Q_SIGNALS:
  void crosshair_moved(double x);  ///< by the user
  void span_chosen(double from, double to);

 protected:
  std::vector<TableRow> table_rows() const override;
  QByteArray csv() const override;
  QByteArray svg() const override;

 private:
  StackData data_;
  QString unit_;
  StackPlot* plot_;
};

}  // namespace pitwall::ui
