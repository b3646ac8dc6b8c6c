// SPDX-License-Identifier: GPL-3.0-or-later
// LabelRoom: where the words of a plot may stand: inside it, and over no line, mark or other word.
#pragma once
#include <QPolygonF>
#include <QRectF>
#include <vector>

class QPainter;
class QString;

namespace pitwall::ui {

class LabelRoom {
 public:
  explicit LabelRoom(const QRectF& area) : area_(area) {}
  void block(const QRectF& rect) { taken_.push_back(rect); }
  void block_line(const QPolygonF& line);
  /// The first candidate that is free, else the first that lies inside, else the first moved inside; it is
  /// taken from then on. Needs one candidate at least.
  QRectF place(const std::vector<QRectF>& candidates);
  /// Beside a point: right, left, above, below.
  QRectF place_beside(const QPointF& point, const QSizeF& size, double gap);
  /// Along a line, towards its end first, above before below; where that is taken, farther from it.
  QRectF place_along(const QPolygonF& line, const QSizeF& size, double gap);

 private:
  bool is_free(const QRectF& rect) const;
  QRectF area_;
  std::vector<QRectF> taken_;
  std::vector<QPointF> line_points_;
};

/// In the pen that is set, on the panel's colour: a line that passes behind strikes no word through.
void draw_words(QPainter& painter, const QRectF& place, const QString& text);

}  // namespace pitwall::ui
