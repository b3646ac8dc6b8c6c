// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/scatter_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/shell/theme.h"
#include "ui/widgets/label_room.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stroke.h"

namespace pitwall::ui {

namespace {

QFont caption(bool strong = false) {
  QFont font = Theme::current().font(FontRole::caption);
  if (strong) font.setWeight(QFont::DemiBold);
  return font;
}

constexpr double kRoom = 1.1;  // above the largest mean: long whiskers run out of the plot
constexpr double kFarLimit =
    2;  // times the largest mean: a limit beyond it would press the points into one spot
constexpr double kNear = 0.7;  // smallest to largest mean: above it an axis from 0 would do so

constexpr double kLeastSpan = 0.05;  // of the largest mean: a finer axis makes noise look like an effect

/// From 0; from nearer where the means lie close together.
AxisLimits limits_around(double smallest, double largest) {
  if (!(largest > smallest) || smallest < kNear * largest)
    return linear_limits(largest > 0 ? kRoom * largest : 1);
  const double span = std::max(largest - smallest, kLeastSpan * largest);
  const double room = (span - (largest - smallest)) / 2 + span / 4;
  const double step = nice_step(2 * span, kLinearSteps);
  return {std::floor((smallest - room) / step) * step, std::ceil((largest + room) / step) * step};
}

QString tick_text(double value, const std::vector<double>& ticks) {
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  return real_text(value, std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 6));
}

}  // namespace

ScatterView::ScatterView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize ScatterView::sizeHint() const {
  return {units(120), units(70)};
}
QSize ScatterView::minimumSizeHint() const {
  return {units(60), units(40)};
}

void ScatterView::set_data(ScatterData data) {
  data_ = std::move(data);
  if (at_ >= static_cast<int>(data_.points.size())) at_ = -1;
  update_limits();
  update();
}

void ScatterView::update_limits() {
  if (data_.points.empty()) {
    x_ = y_ = {0, 1};
    return;
  }
  const auto x = [](const ScatterPoint& a, const ScatterPoint& b) { return a.x.mean < b.x.mean; };
  const auto y = [](const ScatterPoint& a, const ScatterPoint& b) { return a.y.mean < b.y.mean; };
  const auto [left, right] = std::minmax_element(data_.points.begin(), data_.points.end(), x);
  const auto [low, high] = std::minmax_element(data_.points.begin(), data_.points.end(), y);
  const double most = right->x.mean;
  const bool near_limit = data_.limit && *data_.limit <= kFarLimit * most;
  x_ = limits_around(left->x.mean, near_limit ? std::max(most, *data_.limit) : most);
  y_ = limits_around(low->y.mean, high->y.mean);
}

bool ScatterView::limit_in_sight() const {
  return data_.limit && *data_.limit >= x_.low && *data_.limit <= x_.high;
}

QRectF ScatterView::area() const {
  const QFontMetricsF metrics(caption());
  double widest = 0;
  const auto ticks = linear_ticks(y_, kLinearSteps + 2);
  for (const double tick : ticks)
    widest = std::max(widest, metrics.horizontalAdvance(tick_text(tick, ticks)));
  return QRectF(rect()).adjusted(widest + units(2.5), metrics.height() / 2 + units(1), -units(3),
                                 -2 * metrics.height() - units(3));
}

QPointF ScatterView::position(double x, double y) const {
  const QRectF plot = area();
  return {plot.left() + (x - x_.low) / (x_.high - x_.low) * plot.width(),
          plot.bottom() - (y - y_.low) / (y_.high - y_.low) * plot.height()};
}

void ScatterView::draw_axes(QPainter& painter) const {
  const QRectF plot = area();
  painter.setFont(caption());
  const QFontMetricsF metrics(painter.font());
  painter.setRenderHint(QPainter::Antialiasing, false);
  const bool empty = data_.points.empty();  // an axis of nothing has no numbers
  const auto up = empty ? std::vector<double>() : linear_ticks(y_, kLinearSteps + 2),
             across = empty ? std::vector<double>() : linear_ticks(x_, kLinearSteps + 2);
  for (const double tick : up) {
    const double y = std::round(position(0, tick).y());
    painter.setPen(ink(Colour::grid));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(ink(Colour::muted));
    painter.drawText(QRectF(0, y - metrics.height() / 2, plot.left() - units(1.5), metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, tick_text(tick, up));
  }
  for (const double tick : across) {
    const double x = std::round(position(tick, 0).x());
    painter.setPen(ink(Colour::strong));
    painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + units(0.75)));
    painter.setPen(ink(Colour::muted));
    const QString text = tick_text(tick, across);
    const double wide = metrics.horizontalAdvance(text) + 1;
    painter.drawText(
        QRectF(std::min(x - wide / 2, width() - wide), plot.bottom() + units(1), wide, metrics.height()),
        Qt::AlignCenter, text);
  }
  painter.setPen(ink(Colour::strong));
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
  painter.drawLine(plot.topLeft(), plot.bottomLeft());
  painter.setPen(ink(Colour::muted));
  painter.drawText(
      QRectF(plot.left(), plot.bottom() + metrics.height() + units(1.5), plot.width(), metrics.height()),
      Qt::AlignCenter, tr("%1 (left is better)").arg(data_.x_title));
  painter.setRenderHint(QPainter::Antialiasing);
}

/// The front as a staircase, from the axis to the right edge.
QPolygonF ScatterView::front_line() const {
  const QRectF plot = area();
  QPolygonF steps;
  if (!data_.front.empty()) {
    const auto at = [&](std::size_t i) { return position(data_.points[i].x.mean, data_.points[i].y.mean); };
    steps << QPointF(at(data_.front.front()).x(), plot.bottom());
    for (const std::size_t i : data_.front) {
      steps << QPointF(at(i).x(), steps.size() == 1 ? at(i).y() : steps.last().y()) << at(i);
    }
    steps << QPointF(plot.right(), steps.last().y());
  }
  return steps;
}

void ScatterView::draw_lines(QPainter& painter) const {
  const QRectF plot = area();
  painter.setPen(stroke_pen(Stroke::dash, 1.2, ink(Colour::muted)));
  painter.drawPolyline(front_line());
  if (limit_in_sight()) {
    const double x = position(*data_.limit, 0).x();
    painter.setPen(stroke_pen(Stroke::dots, 1.4, ink(Colour::bad)));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
  }
  QPolygonF path;
  for (const std::size_t i : data_.path) path << position(data_.points[i].x.mean, data_.points[i].y.mean);
  painter.setPen(QPen(ink(Colour::accent), 1.6));
  painter.drawPolyline(path);
}

/// 95 % intervals, as far as they lie in the plot.
std::vector<QLineF> ScatterView::whiskers(const ScatterPoint& point) const {
  std::vector<QLineF> lines;
  const auto inside = [](double value, const AxisLimits& limits) {
    return std::clamp(value, limits.low, limits.high);
  };
  if (std::isfinite(point.x.low))
    lines.push_back(
        {position(inside(point.x.low, x_), point.y.mean), position(inside(point.x.high, x_), point.y.mean)});
  if (std::isfinite(point.y.low))
    lines.push_back(
        {position(point.x.mean, inside(point.y.low, y_)), position(point.x.mean, inside(point.y.high, y_))});
  return lines;
}

void ScatterView::draw_points(QPainter& painter) const {
  const double radius = units(2.25), small = units(1.25);
  for (std::size_t i = 0; i < data_.points.size(); ++i) {
    const ScatterPoint& point = data_.points[i];
    const QPointF at = position(point.x.mean, point.y.mean);
    const bool numbered = !point.number.isEmpty();
    const Colour colour = numbered ? Colour::accent : Colour::text;
    painter.setPen(QPen(ink(colour), 1.2));
    for (const QLineF& whisker : whiskers(point)) painter.drawLine(whisker);
    const bool current = numbered && point.item >= 0 && point.item == data_.current;
    painter.setPen(QPen(ink(colour), 1.8));
    painter.setBrush(ink(current ? Colour::accent : Colour::panel));
    if (numbered) {
      painter.drawEllipse(at, radius, radius);
      painter.setPen(ink(current ? Colour::on_accent : Colour::accent));
      painter.setFont(caption(true));
      painter.drawText(QRectF(at - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius)), Qt::AlignCenter,
                       point.number);
    } else {
      painter.drawPolygon(QPolygonF({at + QPointF(0, -small), at + QPointF(small, 0), at + QPointF(0, small),
                                     at + QPointF(-small, 0)}));
    }
    painter.setBrush(Qt::NoBrush);
    if (hasFocus() && static_cast<int>(i) == at_) {
      painter.setPen(QPen(ink(Colour::accent), 2));
      painter.drawEllipse(at, radius + units(1), radius + units(1));
    }
  }
}

void ScatterView::draw_labels(QPainter& painter) const {
  const QRectF plot = area();
  LabelRoom room(plot);
  const double radius = units(2.25);
  const QFontMetricsF metrics(caption(true));
  for (const ScatterPoint& point : data_.points) {
    const QPointF at = position(point.x.mean, point.y.mean);
    room.block(QRectF(at - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius)));
    for (const QLineF& whisker : whiskers(point))
      if (whisker.length() > 2 * radius) room.block_line(QPolygonF({whisker.p1(), whisker.p2()}));
  }
  QPolygonF path;
  for (const std::size_t i : data_.path) path << position(data_.points[i].x.mean, data_.points[i].y.mean);
  room.block_line(path);
  room.block_line(front_line());
  const auto write = [&](const QString& text, const QPointF& at, double gap, bool strong, Colour colour) {
    const QRectF rect = room.place_beside(at, {metrics.horizontalAdvance(text) + 2, metrics.height()}, gap);
    painter.setFont(caption(strong));
    painter.setPen(ink(colour));
    draw_words(painter, rect, text);
  };
  if (limit_in_sight())
    write(data_.limit_text, {position(*data_.limit, 0).x(), plot.top() + metrics.height()}, units(1), false,
          Colour::bad);
  else if (data_.limit)  // beyond the edge, where the arrow points
    write(*data_.limit > x_.high ? tr("%1 →").arg(data_.limit_text) : tr("← %1").arg(data_.limit_text),
          {*data_.limit > x_.high ? plot.right() : plot.left(), plot.top() + metrics.height()}, units(1),
          false, Colour::bad);
  for (const bool numbered : {true, false})  // items have the first choice
    for (const ScatterPoint& point : data_.points)
      if (point.number.isEmpty() != numbered)
        write(point.text, position(point.x.mean, point.y.mean), radius + units(0.75), numbered,
              numbered ? Colour::text : Colour::muted);
}

void ScatterView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  draw_axes(painter);
  if (data_.points.empty()) {
    painter.setFont(Theme::current().font(FontRole::small));
    painter.setPen(ink(Colour::muted));
    painter.drawText(area(), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Nothing is measured yet. Run an item with Enter, or all of them."));
  } else {
    draw_lines(painter);
    draw_points(painter);
    draw_labels(painter);
  }
  if (!hasFocus()) return;
  painter.setPen(QPen(ink(Colour::accent), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
}

void ScatterView::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  const double reach = units(4);
  double nearest = reach;
  for (std::size_t i = 0; i < data_.points.size(); ++i) {
    const QPointF away = position(data_.points[i].x.mean, data_.points[i].y.mean) - event->position();
    const double distance = std::hypot(away.x(), away.y());
    if (distance >= nearest) continue;
    nearest = distance;
    at_ = static_cast<int>(i);
  }
  update();
  if (nearest < reach) Q_EMIT chosen(data_.points[static_cast<std::size_t>(at_)].item);
}

void ScatterView::walk(int by) {
  if (data_.points.empty()) return;
  at_ = std::clamp(at_ + by, 0, static_cast<int>(data_.points.size()) - 1);
  setAccessibleDescription(data_.points[static_cast<std::size_t>(at_)].text);
  update();
}

void ScatterView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
      return walk(-1);
    case Qt::Key_Right:
    case Qt::Key_Down:
      return walk(+1);
    case Qt::Key_Space:
      if (at_ >= 0) Q_EMIT chosen(data_.points[static_cast<std::size_t>(at_)].item);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace pitwall::ui
