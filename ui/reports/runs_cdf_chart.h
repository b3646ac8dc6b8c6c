// SPDX-License-Identifier: GPL-3.0-or-later
// How a measure is spread over the requests of one run or of several, with the tail drawn out to 99.9 … %.
#pragma once
#include <vector>

#include "engine/telemetry/run.h"
#include "ui/widgets/cdf_chart.h"

class QComboBox;

namespace pitwall::ui {

/// The measure is chosen in the header.
class RunsCdfChart : public CdfChart {
  Q_OBJECT

 public:
  explicit RunsCdfChart(const QString& id, QWidget* parent = nullptr);
  /// Not owned; they live until the next call. The first is the reference.
  void set_runs(std::vector<const Run*> runs);

 private:
  void redraw();
  std::vector<const Run*> runs_;
  QComboBox* measure_;
};

}  // namespace pitwall::ui
