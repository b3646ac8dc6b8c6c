// SPDX-License-Identifier: GPL-3.0-or-later
// LineChart: named series over time that answer one question, in a card. Qt Charts draws the lines and stays
// inside.
#pragma once
#include <memory>
#include <vector>

#include "ui/widgets/card.h"

class QStackedWidget;

namespace pitwall::ui {

class ChartPlot;
class DataTable;

struct ChartSeries {
  QString name;  ///< "p50"
  Colour colour = Colour::text;
  Stroke stroke = Stroke::solid;
  double width = 2.2;
  std::vector<double> x, y;  ///< x: UTC seconds, ascending; NaN in y is a gap
};

/// A horizontal line that carries meaning: an SLO or a limit.
struct ChartLimit {
  QString label;
  double value = 0;
};

/// Keys inside: arrows move the crosshair, Home and End jump, Esc frees it, T table, Ctrl+E export.
class LineChart : public Card {
  Q_OBJECT

 public:
  struct Spec {
    QString id;  ///< object name: "serve.chart.itl"
    QString title, unit, question;
    bool log = false;  ///< y axis
  };
  explicit LineChart(const Spec& spec, QWidget* parent = nullptr);

  void set_series(std::vector<ChartSeries> series);
  void set_limits(std::vector<ChartLimit> limits);
  void set_time_range(double from, double to);  ///< UTC seconds; unset: the data's
  void set_note(const QString& note);           ///< one muted line inside the plot: why a line is missing
  void set_source(const QString& source);       ///< run id, for exports
  const std::vector<ChartSeries>& series() const { return series_; }

  double crosshair() const;  ///< UTC seconds; NaN when free
  QString summary() const;  ///< one sentence with the last and the largest values; the accessible description
  bool table_shown() const;
  void show_table(bool table);
  /// By suffix: .png (2×), .svg (the report's writer), .csv. Empty on success, else what went wrong.
  QString export_to(const QString& path) const;

 public Q_SLOTS:
  void set_crosshair(double x);  ///< UTC seconds; NaN frees it

 Q_SIGNALS:
  void crosshair_moved(double x);  ///< by the user; connect charts to each other

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched,
                   QEvent* event) override;  ///< the table's T is ours, not a search for a row

 private:
  bool take_key(const QKeyEvent& event);
  void fill_table();
  void ask_export();

  Spec spec_;
  std::vector<ChartSeries> series_;
  QString source_;
  ChartPlot* plot_;
  DataTable* table_;
  QStackedWidget* stack_;
};

}  // namespace pitwall::ui
