// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput against a latency: numbered points of a path, diamonds of what was tried beside it, whiskers,
// the Pareto front and a limit. Custom-painted: Qt Charts has neither whiskers nor steps.
#pragma once
#include <QLineF>
#include <QPolygonF>
#include <QWidget>
#include <optional>
#include <vector>

#include "engine/bench/confidence.h"
#include "ui/widgets/ticks.h"

namespace pitwall::ui {

struct ScatterPoint {
  QString number;  ///< in the circle: "0", "4"; empty = a diamond
  QString text;    ///< beside it: "276, max-num-seqs 24"
  Interval x{}, y{};
  int item = -1;  ///< index of its item; −1 = the base
};

struct ScatterData {
  std::vector<ScatterPoint> points;
  std::vector<std::size_t> path;   ///< indexes, in order
  std::vector<std::size_t> front;  ///< indexes, by rising x
  std::optional<double> limit;     ///< of x
  QString limit_text, x_title;
  int current = -1;  ///< item whose point is filled
};

/// Arrow keys walk the points in order, Space chooses.
class ScatterView : public QWidget {
  Q_OBJECT

 public:
  explicit ScatterView(QWidget* parent = nullptr);
  void set_data(ScatterData data);
  const ScatterData& data() const { return data_; }
  const AxisLimits& x_limits() const { return x_; }
  const AxisLimits& y_limits() const { return y_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void chosen(int item);  ///< −1 = the base

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void update_limits();
  bool limit_in_sight() const;
  QRectF area() const;
  QPointF position(double x, double y) const;
  QPolygonF front_line() const;
  std::vector<QLineF> whiskers(const ScatterPoint& point) const;
  void draw_axes(QPainter& painter) const;
  void draw_lines(QPainter& painter) const;
  void draw_points(QPainter& painter) const;
  void draw_labels(QPainter& painter) const;
  void walk(int by);

  ScatterData data_;
  AxisLimits x_{0, 1}, y_{0, 1};
  int at_ = -1;  // point that the keys stand on
};

}  // namespace pitwall::ui
