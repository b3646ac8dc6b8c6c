// SPDX-License-Identifier: GPL-3.0-or-later
// StackPlot: the drawing inside a StackChart.
#pragma once
#include <QWidget>

#include "ui/widgets/stack_chart.h"
#include "ui/widgets/ticks.h"

namespace pitwall::ui {

class StackPlot : public QWidget {
  Q_OBJECT

 public:
  explicit StackPlot(QWidget* parent = nullptr);
  void set_data(const StackData* data);  ///< not owned; call again after each change
  void set_limits(std::vector<ChartLimit> limits);
  void set_laps(const std::vector<ChartLap>& laps);
  void set_time_range(double from, double to);
  void set_crosshair(double x);
  double crosshair() const { return crosshair_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void crosshair_moved(double x);
  void span_chosen(double from, double to);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent*) override { update(); }
  void focusOutEvent(QFocusEvent*) override { update(); }

 private:
  double largest() const;
  QRectF area() const;
  double x_of(double at) const;
  double y_of(double value) const;
  std::size_t nearest(double at) const;  ///< sample; needs one
  void move_user_crosshair(double at);
  void draw_axes(QPainter& painter, const QRectF& plot) const;
  void draw_layers(QPainter& painter, const QRectF& plot) const;
  void draw_lines(QPainter& painter, const QRectF& plot) const;
  void draw_names(QPainter& painter, const QRectF& plot) const;
  void draw_crosshair(QPainter& painter, const QRectF& plot) const;

  const StackData* data_ = nullptr;
  std::vector<ChartLimit> limits_;
  std::vector<ChartLap> laps_;
  AxisLimits x_{0, 1}, values_{0, 1};
  SteadyLimits steady_;
  double crosshair_, span_from_;  ///< NaN: none
  bool pinned_ = false;
};

}  // namespace pitwall::ui
