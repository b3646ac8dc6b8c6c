// SPDX-License-Identifier: GPL-3.0-or-later
// The two charts of the plan page: where memory ends, and where more requests stop to pay.
#pragma once
#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "ui/plan/alternatives.h"
#include "ui/widgets/line_chart.h"

namespace pitwall::ui {

/// Requests that fit against tokens each, one line an alternative with a plan. How many are asked for does
/// not move the lines: they are kept while only that changes.
class FrontierLines {
 public:
  std::vector<ChartSeries> series(const Alternatives& alternatives);

 private:
  std::map<std::string, std::vector<double>> known_;  // by all that a line depends on
};
/// Of the subject: the demand; then, as guides, max length, above which the line has that raised, and where
/// the model ends.
std::vector<ChartMark> frontier_marks(const Alternatives& alternatives);
/// Output tokens per second against requests at once, up to what fits.
std::vector<ChartSeries> throughput_series(const Alternatives& alternatives);
/// Knee ◇, limits reached ○ and end of KV × of each line, in words for the subject; the demand as a guide.
std::vector<ChartMark> throughput_marks(const Alternatives& alternatives);

class PlanCharts : public QWidget {
  Q_OBJECT

 public:
  explicit PlanCharts(QWidget* parent = nullptr);
  void show_alternatives(const Alternatives& alternatives, bool sliding);  ///< sliding: axes only grow

 private:
  /// What a chart's axes had to hold since they last shrank.
  struct Extent {
    double x = 0, y = 0;
  };
  static void show_lines(LineChart& chart, std::vector<ChartSeries> lines, const QString& none, bool sliding,
                         Extent& held);
  FrontierLines lines_;
  Extent frontier_held_, throughput_held_;
  LineChart *frontier_, *throughput_;
};

}  // namespace pitwall::ui
