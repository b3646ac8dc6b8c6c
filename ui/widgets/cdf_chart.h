// SPDX-License-Identifier: GPL-3.0-or-later
// CdfChart: how many took at most so long, on an axis of 0, 90, 99, 99.9 … %, so that the tail can be read.
// Each curve ends where one sample of its own does.
#pragma once
#include <vector>

#include "engine/report/cdf.h"
#include "ui/widgets/line_chart.h"

namespace pitwall::ui {

struct CdfCurve {
  QString name;  ///< "R-0146"
  Colour colour = Colour::text;
  Stroke stroke = Stroke::solid;
  double width = 2.2;
  Cdf cdf;
};

/// Keys as in LineChart. The table has quantiles, exports have the curves.
class CdfChart : public LineChart {
  Q_OBJECT

 public:
  struct Words {
    QString id;               ///< object name: "report.cdf"
    QString title, question;  ///< "ITL distribution", "How bad is the worst?"
    QString unit;             ///< of the values: "ms"
  };
  explicit CdfChart(const Words& words, bool names_at_lines = false, QWidget* parent = nullptr);
  void set_curves(std::vector<CdfCurve> curves);
  const std::vector<CdfCurve>& curves() const { return curves_; }
  /// A value that should not be passed, such as an SLO; without a label there is none.
  void set_limit(const QString& label, double value);
  QString summary() const override;

 protected:
  std::vector<TableColumn> table_columns() const override;
  std::vector<TableRow> table_rows() const override;
  QByteArray svg() const override;

 private:
  std::vector<CdfCurve> curves_;
};

}  // namespace pitwall::ui
