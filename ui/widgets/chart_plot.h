// SPDX-License-Identifier: GPL-3.0-or-later
// ChartPlot: the drawing inside a LineChart. Qt Charts draws the lines; grid, labels, limits, marks and
// crosshair are ours, because its axes know neither 1-2-5 decades nor whole seconds.
#pragma once
#include <QChartView>
#include <QElapsedTimer>
#include <vector>

#include "ui/widgets/decimate.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/plot_scale.h"

class QLineSeries;
class QValueAxis;

namespace pitwall::ui {

class LabelRoom;

class ChartPlot : public QChartView {
  Q_OBJECT

 public:
  ChartPlot(ValueScale scale, XAxis x_axis, QWidget* parent = nullptr);

  void set_series(const std::vector<ChartSeries>* series);  ///< not owned; call again after each change
  void set_limits(std::vector<ChartLimit> limits);
  void set_marks(const std::vector<ChartMark>* marks);  ///< not owned, as the series
  void set_names_at_lines(bool on) { names_at_lines_ = on; }
  void set_time_range(double from, double to);
  void set_laps(std::vector<ChartLap> laps);
  void set_note(const QString& note);
  void forget_limits();          ///< other data follow: the axes need not wait to shrink
  void set_crosshair(double x);  ///< NaN frees it
  double crosshair() const { return crosshair_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void crosshair_moved(double x);
  void span_chosen(double from, double to);  ///< dragged over, on a time axis
  void mark_chosen(int mark);                ///< clicked

 protected:
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void mark_stale();  ///< refreshes once, however much changes in this turn
  void catch_up();    ///< before a position is asked for
  void refresh();
  void place_plot_area();
  void update_limits();
  void update_lines();
  void draw_x_ticks(QPainter& painter);
  void draw_ticks(QPainter* painter);
  void draw_points(QPainter* painter, LabelRoom& room);
  void draw_names(QPainter* painter, LabelRoom& room);
  QPolygonF pixels_of(const ChartSeries& series) const;
  void draw_limits(QPainter* painter);
  void draw_crosshair(QPainter* painter);
  void draw_note(QPainter* painter);
  int note_height() const;  ///< of its line above the plot: lines, flags and words stand nowhere else
  void move_user_crosshair(double x);
  int mark_at(const QPointF& point) const;  ///< −1 = none
  std::vector<double> value_ticks() const;
  QString x_text(double x) const;
  QString value_text(double value) const;
  QString crosshair_text() const;
  double to_axis(double x) const;  ///< x → axis space
  QPointF position(double x, double value) const;
  double x_at(double pixel) const;
  double nearest_sample(double x) const;
  double step_sample(double x, int by) const;
  double now() const;  ///< seconds, for limits that wait before they shrink
  QRectF area() const;

  ValueScale scale_;
  bool names_at_lines_ = false;
  XAxis kind_;
  const std::vector<ChartSeries>* series_ = nullptr;
  const std::vector<ChartMark>* marks_ = nullptr;
  std::vector<ChartLimit> limits_;
  std::vector<ChartLap> laps_;
  QString note_;
  AxisLimits x_{0, 0}, values_{0, 1};
  bool fixed_time_ = false, pinned_ = false, has_data_ = false, stale_ = false;
  int pressed_mark_ = -1;
  SteadyLimits steady_x_, steady_;
  QElapsedTimer age_;
  double crosshair_, span_from_;                                ///< NaN: none
  std::vector<QLineSeries*> lines_;                             ///< pool: one for each unbroken segment shown
  std::vector<std::pair<PlotPoint, std::size_t>> lone_points_;  ///< segments of one sample, with their series
  QValueAxis *x_axis_, *y_axis_;
};

}  // namespace pitwall::ui
