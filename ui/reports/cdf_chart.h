// SPDX-License-Identifier: GPL-3.0-or-later
// How a measure is spread over the requests of one run or of several, with the tail drawn out to 99.9 … %.
#pragma once
#include <vector>

#include "engine/telemetry/run.h"
#include "ui/widgets/line_chart.h"

class QComboBox;

namespace pitwall::ui {

/// The measure is chosen in the header; a comparison's limits of goodput are lines.
class CdfChart : public LineChart {
  Q_OBJECT

 public:
  explicit CdfChart(const QString& id, QWidget* parent = nullptr);
  /// Not owned; they live until the next call. The first is the reference.
  void set_runs(std::vector<const Run*> runs);

 private:
  void redraw();
  std::vector<const Run*> runs_;
  QComboBox* measure_;
};

}  // namespace pitwall::ui
