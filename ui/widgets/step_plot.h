// SPDX-License-Identifier: GPL-3.0-or-later
// StepPlot: the drawing inside a StepChart. Where a pixel column holds several steps it shows the largest of
// each kind, so that one long step survives every zoom.
#pragma once
#include <QWidget>
#include <span>

#include "ui/widgets/step_chart.h"
#include "ui/widgets/ticks.h"

namespace pitwall::ui {

class StepPlot : public QWidget {
  Q_OBJECT

 public:
  explicit StepPlot(QWidget* parent = nullptr);
  void set_steps(const std::vector<StepSpan>* steps, std::size_t last);
  void set_laps(const std::vector<ChartLap>& laps);
  void zoom_to(double from, double to);
  void choose(std::uint64_t step);
  AxisLimits span() const { return x_; }
  std::span<const StepSpan> shown() const;  ///< steps inside the span
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void step_chosen(quint64 step);
  void span_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void focusInEvent(QFocusEvent*) override { update(); }
  void focusOutEvent(QFocusEvent*) override { update(); }

 private:
  void follow();  ///< the newest steps
  void zoom(double factor, double around);
  QRectF area() const;
  double x_of(double at) const { return x_of(at, area()); }
  double x_of(double at, const QRectF& plot) const;  ///< of many: the area is measured once
  double x_at(double pixel) const;
  const StepSpan* chosen() const;  ///< null when none is, or it is no longer kept
  void choose_at(double at);
  void draw_axes(QPainter& painter, const QRectF& plot, double most) const;
  void draw_steps(QPainter& painter, const QRectF& plot, double most) const;
  void draw_chosen(QPainter& painter, const QRectF& plot) const;

  const std::vector<StepSpan>* steps_ = nullptr;
  std::size_t last_ = 0;
  std::vector<ChartLap> laps_;
  AxisLimits x_{0, 1};
  bool zoomed_ = false;
  std::uint64_t chosen_ = 0;
  double drag_from_, drag_to_;  ///< NaN: none
};

}  // namespace pitwall::ui
