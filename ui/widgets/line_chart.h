// SPDX-License-Identifier: GPL-3.0-or-later
// LineChart: named series that answer one question, in a card: over time, or against any other number. Qt
// Charts draws the lines and stays inside.
#pragma once
#include <limits>
#include <vector>

#include "ui/widgets/chart_card.h"
#include "ui/widgets/lap_lines.h"

namespace pitwall::ui {

class ChartPlot;

struct ChartSeries {
  QString name;  ///< "p50"
  Colour colour = Colour::text;
  Stroke stroke = Stroke::solid;
  double width = 2.2;
  std::vector<double> x, y;          ///< x: ascending, UTC seconds on a time axis; NaN in y is a gap
  std::vector<std::int64_t> n = {};  ///< samples behind each y; empty: y is no statistic
};

/// A horizontal line that carries meaning: an SLO or a limit.
struct ChartLimit {
  QString label;
  double value = 0;
};

/// A point with a name: where a line ends and why, what was asked for.
struct ChartMark {
  enum class Shape : std::uint8_t {
    ring,
    cross,
    diamond,
    guide
  };  ///< guide: a vertical at x, y does not count
  Shape shape = Shape::ring;
  double x = 0, y = 0;
  Colour colour = Colour::text;
  QString text;          ///< beside it; may be empty
  bool to_axes = false;  ///< dashed lines from the point to both axes
};

enum class XAxis : std::uint8_t { time, linear, log };

/// Keys inside: arrows move the crosshair, Home and End jump, Esc frees it, T table, Ctrl+E export.
class LineChart : public ChartCard {
  Q_OBJECT

 public:
  struct Spec {
    QString id;  ///< object name: "serve.chart.itl"
    QString title, unit, question;
    bool log = false;  ///< y axis
    XAxis x = XAxis::time;
    QString x_name = {};          ///< "requests": column head and unit of x, where x is no time
    bool names_at_lines = false;  ///< in the plot instead of a legend in the header
    bool tail = false;            ///< y is a percentage, on an axis of 0, 90, 99, 99.9 …
  };
  explicit LineChart(const Spec& spec, QWidget* parent = nullptr);

  void set_series(std::vector<ChartSeries> series);
  void set_limits(std::vector<ChartLimit> limits);
  void set_marks(std::vector<ChartMark> marks);
  void set_time_range(double from, double to);  ///< UTC seconds; unset: the data's
  void set_laps(const std::vector<ChartLap>& laps);
  void forget_limits();                ///< what follows is of another run: axes need not wait to shrink
  void set_note(const QString& note);  ///< one muted line above the plot, in it where it has no data
  const std::vector<ChartSeries>& series() const { return series_; }
  const std::vector<ChartMark>& marks() const { return marks_; }

  double crosshair() const;  ///< x; NaN when free
  virtual QString summary()
      const;  ///< one sentence with the last and the largest values; the accessible description

 public Q_SLOTS:
  void set_crosshair(double x);  ///< NaN frees it

 Q_SIGNALS:
  void crosshair_moved(double x);  ///< by the user; connect charts to each other
  void mark_chosen(int mark);      ///< index of the one that was clicked
  void span_chosen(double from, double to);

 protected:
  virtual std::vector<TableColumn> table_columns() const;
  std::vector<TableRow> table_rows() const override;
  QByteArray csv() const override;
  QByteArray svg() const override;
  const Spec& spec() const { return spec_; }

 private:
  QString x_text(double x) const;

  Spec spec_;
  std::vector<ChartSeries> series_;
  std::vector<ChartMark> marks_;
  std::vector<ChartLap> laps_;
  ChartPlot* plot_;
};

}  // namespace pitwall::ui
