// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/label_room.h"

#include <QLineF>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/shell/theme.h"

namespace pitwall::ui {

namespace {

constexpr double kPointDistance = 3;  // pixels between the points that stand for a line
constexpr std::array kShares{0.88, 0.7, 0.55, 0.4, 0.25, 0.97, 0.1};

}  // namespace

void LabelRoom::block_line(const QPolygonF& line) {
  for (qsizetype i = 1; i < line.size(); ++i) {
    const QLineF part(line[i - 1], line[i]);
    const int steps = std::max(1, static_cast<int>(std::ceil(part.length() / kPointDistance)));
    for (int step = 0; step <= steps; ++step)
      line_points_.push_back(part.pointAt(static_cast<double>(step) / steps));
  }
}

bool LabelRoom::is_free(const QRectF& rect) const {
  return std::none_of(taken_.begin(), taken_.end(),
                      [&](const QRectF& other) { return rect.intersects(other); }) &&
         std::none_of(line_points_.begin(), line_points_.end(),
                      [&](const QPointF& point) { return rect.contains(point); });
}

QRectF LabelRoom::place(const std::vector<QRectF>& candidates) {
  const auto inside = [this](const QRectF& rect) { return area_.contains(rect); };
  auto found = std::find_if(candidates.begin(), candidates.end(),
                            [&](const QRectF& rect) { return inside(rect) && is_free(rect); });
  if (found == candidates.end())  // words over a line can be read, words over words cannot
    found = std::find_if(candidates.begin(), candidates.end(), [&](const QRectF& rect) {
      return inside(rect) && std::none_of(taken_.begin(), taken_.end(),
                                          [&](const QRectF& other) { return rect.intersects(other); });
    });
  if (found == candidates.end()) found = std::find_if(candidates.begin(), candidates.end(), inside);
  QRectF chosen = found != candidates.end() ? *found : candidates.front();
  chosen.moveRight(std::min(chosen.right(), area_.right()));
  chosen.moveLeft(std::max(chosen.left(), area_.left()));
  chosen.moveBottom(std::min(chosen.bottom(), area_.bottom()));
  chosen.moveTop(std::max(chosen.top(), area_.top()));
  taken_.push_back(chosen);
  return chosen;
}

QRectF LabelRoom::place_beside(const QPointF& point, const QSizeF& size, double gap) {
  const double w = size.width(), h = size.height();
  const double x = point.x(), y = point.y();
  std::vector<QRectF> candidates;
  for (const double away : {gap, gap + 2 * h, gap + 5 * h})
    for (const double lift : {0.5, 1.2, -0.2, 2.0, -1.0, 3.2, 4.4, -2.2})
      for (const double left : {x + away, x - away - w}) candidates.emplace_back(left, y - lift * h, w, h);
  for (const double top : {y - gap - h, y + gap}) candidates.emplace_back(x - w / 2, top, w, h);
  return place(candidates);
}

QRectF LabelRoom::place_along(const QPolygonF& line, const QSizeF& size, double gap) {
  const double w = size.width(), h = size.height();
  std::vector<QRectF> candidates;
  const double first = std::max(line.front().x(), area_.left()),
               last = std::min(line.back().x(), area_.right());
  for (const double share : kShares) {
    const double x = first + share * (last - first);
    const auto right =
        std::find_if(line.begin() + 1, line.end() - 1, [&](const QPointF& p) { return p.x() >= x; });
    const QLineF part(*(right - 1), *right);
    const double y =
        part.dx() > 0 ? part.pointAt(std::clamp((x - part.x1()) / part.dx(), 0.0, 1.0)).y() : part.y2();
    // A steep line needs more room beside the words than a flat one.
    const double lean = part.dx() > 0 ? std::min(3 * h, std::abs(part.dy() / part.dx()) * w / 2) : 0;
    for (const double more : {0.0, lean}) {
      const double left = std::clamp(x - w / 2, area_.left(), std::max(area_.left(), area_.right() - w));
      candidates.emplace_back(left, y - gap - h - more, w, h);
      candidates.emplace_back(left, y + gap + more, w, h);
    }
  }
  // Where all of these are taken, the nearest free place above or below one.
  const auto along = static_cast<std::ptrdiff_t>(candidates.size());
  for (double away = h / 2; away < area_.height(); away += h / 2)
    for (std::ptrdiff_t i = 0; i < along; ++i)
      candidates.push_back(candidates[static_cast<std::size_t>(i)].translated(0, i % 2 == 0 ? -away : away));
  return place(candidates);
}

void draw_words(QPainter& painter, const QRectF& place, const QString& text) {
  painter.fillRect(place, Theme::current().colour(Colour::panel));
  painter.drawText(place, Qt::AlignCenter, text);
}

}  // namespace pitwall::ui
