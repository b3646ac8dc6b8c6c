// SPDX-License-Identifier: GPL-3.0-or-later
// What ChartPlot paints itself: grid, labels, limits, marks, laps and the crosshair with its words.
#include <QChart>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/shell/theme.h"
#include "ui/widgets/chart_plot.h"
#include "ui/widgets/label_room.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stroke.h"
#include "ui/widgets/time_axis.h"

namespace pitwall::ui {

namespace {

constexpr double kWidestName = 0.4;  // of the plot: longer ones at lines would lie over others

}  // namespace

void ChartPlot::drawBackground(QPainter* painter, const QRectF&) {
  if (!(x_.high > x_.low)) return;
  const QRectF plot = area();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing, false);
  painter->setFont(Theme::current().font(FontRole::caption));
  const QFontMetrics metrics(painter->font());
  for (const double tick : value_ticks()) {
    const double y = std::round(position(x_.low, tick).y());
    painter->setPen(ink(Colour::grid));
    painter->drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter->setPen(ink(Colour::muted));
    painter->drawText(QRectF(0, y - metrics.height() / 2.0, plot.left() - units(1.5), metrics.height()),
                      Qt::AlignRight | Qt::AlignVCenter, tick_text(scale_, values_, tick));
  }
  if (kind_ == XAxis::time)
    draw_clock_ticks(*painter, plot, x_, viewport()->width());
  else
    draw_x_ticks(*painter);
  painter->setPen(ink(Colour::strong));
  painter->drawLine(plot.bottomLeft(), plot.bottomRight());
  painter->drawLine(plot.topLeft(), plot.bottomLeft());
  painter->restore();
}

void ChartPlot::draw_x_ticks(QPainter& painter) {
  const QRectF plot = area();
  const QFontMetrics metrics(painter.font());
  const auto with_room_for = [&](int label) {
    const int most = std::max(2, static_cast<int>(plot.width() / (label * 1.6)));
    return kind_ == XAxis::log ? log_ticks(x_, most) : linear_ticks(x_, most);
  };
  std::vector<double> ticks = with_room_for(metrics.horizontalAdvance(x_text(std::round(x_.high))));
  int widest = 1;  // fractions may be wider than the last whole number
  for (const double tick : ticks) widest = std::max(widest, metrics.horizontalAdvance(x_text(tick)));
  ticks = with_room_for(widest);
  for (const double tick : ticks) {
    const double x = std::round(position(tick, values_.low).x());
    painter.setPen(ink(Colour::strong));
    painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + units(0.75)));
    painter.setPen(ink(Colour::muted));
    const double half = metrics.horizontalAdvance(x_text(tick)) / 2.0 + 1;
    const double left = std::clamp(x - half, 0.0, viewport()->width() - 2 * half);
    painter.drawText(QRectF(left, plot.bottom() + units(1.25), 2 * half, metrics.height()), Qt::AlignCenter,
                     x_text(tick));
  }
}

void ChartPlot::drawForeground(QPainter* painter, const QRectF&) {
  if (series_ == nullptr) return;
  if (!(x_.high > x_.low)) return draw_note(painter);  // no axis yet, but maybe a reason
  painter->save();
  painter->setPen(Qt::NoPen);
  for (const auto& [point, owner] : lone_points_) {
    const ChartSeries& series = (*series_)[owner];
    painter->setBrush(ink(series.colour));
    painter->drawEllipse(position(point.x, point.y), series.width, series.width);
  }
  painter->setBrush(Qt::NoBrush);
  draw_ticks(painter);
  draw_limits(painter);
  draw_laps(
      *painter, area(), laps_, [this](double at) { return position(at, values_.low).x(); }, hasFocus());
  draw_note(painter);
  LabelRoom room(area());
  for (const ChartLap& lap : laps_)
    room.block({position(lap.at, values_.low).x(), area().top(), units(5) + 0.0, units(4) + 0.0});
  if (names_at_lines_)
    for (const ChartSeries& series : *series_) room.block_line(pixels_of(series));
  draw_points(painter, room);
  if (names_at_lines_) draw_names(painter, room);
  if (std::isfinite(crosshair_)) draw_crosshair(painter);
  if (std::isfinite(span_from_)) {
    QColor chosen = ink(Colour::accent);
    chosen.setAlphaF(0.2f);
    painter->fillRect(QRectF(QPointF(position(span_from_, values_.low).x(), area().top()),
                             QPointF(position(crosshair_, values_.low).x(), area().bottom()))
                          .normalized(),
                      chosen);
  }
  if (hasFocus()) {
    painter->setPen(QPen(ink(Colour::accent), 2));
    painter->drawRoundedRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1), units(1), units(1));
  }
  painter->restore();
}

void ChartPlot::draw_ticks(QPainter* painter) {
  for (const ChartSeries& series : *series_) {
    if (series.stroke != Stroke::marks) continue;
    painter->setPen(QPen(ink(series.colour), series.width));
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i]) || series.x[i] < x_.low || series.x[i] > x_.high) continue;
      const QPointF at = position(series.x[i], series.y[i]);
      painter->drawLine(at - QPointF(0, units(0.75)), at + QPointF(0, units(0.75)));
    }
  }
}

/// What of the series lies inside the plot; its gaps are bridged.
QPolygonF ChartPlot::pixels_of(const ChartSeries& series) const {
  QPolygonF line;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.y[i]) || series.x[i] < x_.low || series.x[i] > x_.high) continue;
    if (const QPointF at = position(series.x[i], series.y[i]); at.y() >= area().top()) line << at;
  }
  return line;
}

void ChartPlot::draw_points(QPainter* painter, LabelRoom& room) {
  if (marks_ == nullptr || !has_data_) return;
  const QRectF plot = area();
  QFont font = Theme::current().font(FontRole::caption);
  font.setWeight(QFont::DemiBold);
  painter->setFont(font);
  const QFontMetricsF metrics(font);
  const double radius = units(1.25);
  const auto outside = [this](const ChartMark& mark) {
    return kind_ == XAxis::time && (mark.x < x_.low || mark.x > x_.high);
  };
  for (const ChartMark& mark : *marks_) {
    if (outside(mark)) continue;
    const bool guide = mark.shape == ChartMark::Shape::guide;
    const QPointF at =
        guide ? QPointF(position(mark.x, values_.low).x(), plot.top()) : position(mark.x, mark.y);
    painter->setPen(stroke_pen(Stroke::dash, 1, ink(mark.colour)));
    if (guide || mark.to_axes) painter->drawLine(at, QPointF(at.x(), plot.bottom()));
    if (mark.to_axes) painter->drawLine(at, QPointF(plot.left(), at.y()));
    const QRectF box(at - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius));
    painter->setPen(QPen(ink(mark.colour), 1.8));
    painter->setBrush(ink(Colour::panel));
    if (mark.shape == ChartMark::Shape::ring) painter->drawEllipse(box);
    if (mark.shape == ChartMark::Shape::diamond)
      painter->drawPolygon(QPolygonF(
          {{at.x(), box.top()}, {box.right(), at.y()}, {at.x(), box.bottom()}, {box.left(), at.y()}}));
    if (mark.shape == ChartMark::Shape::cross) {
      painter->drawLine(box.topLeft(), box.bottomRight());
      painter->drawLine(box.topRight(), box.bottomLeft());
    }
    painter->setBrush(Qt::NoBrush);
    if (!guide) room.block(box);
    if (guide || mark.to_axes) room.block_line(QPolygonF({at, {at.x(), plot.bottom()}}));
    if (mark.to_axes) room.block_line(QPolygonF({at, {plot.left(), at.y()}}));
  }
  for (const ChartMark& mark : *marks_) {
    if (mark.text.isEmpty() || outside(mark)) continue;
    const bool guide = mark.shape == ChartMark::Shape::guide;
    const QPointF at = guide ? QPointF(position(mark.x, values_.low).x(), plot.top() + metrics.height())
                             : position(mark.x, mark.y);
    const QRectF words = room.place_beside(at, {metrics.horizontalAdvance(mark.text) + 1, metrics.height()},
                                           radius + units(1));
    const QPointF edge(
        std::clamp(at.x(), words.left(), words.right()),
        std::clamp(at.y(), words.top() + metrics.descent(), words.bottom() - metrics.descent()));
    painter->setPen(QPen(ink(mark.colour), 1));
    if (const QLineF leader(at, edge); leader.length() > 3 * metrics.height()) {
      painter->drawLine(leader);
      room.block_line(QPolygonF({at, edge}));
    }
    painter->setPen(ink(mark.colour));
    draw_words(*painter, words, mark.text);
  }
}

void ChartPlot::draw_names(QPainter* painter, LabelRoom& room) {
  QFont font = Theme::current().font(FontRole::caption);
  font.setWeight(QFont::DemiBold);
  painter->setFont(font);
  const QFontMetricsF metrics(font);
  for (const ChartSeries& series : *series_) {
    const QPolygonF line = pixels_of(series);
    if (line.size() < 2) continue;
    const QString name = metrics.elidedText(series.name, Qt::ElideMiddle, kWidestName * area().width());
    painter->setPen(ink(series.colour));
    draw_words(*painter,
               room.place_along(line, {metrics.horizontalAdvance(name) + 1, metrics.height()}, units(1)),
               name);
  }
}

void ChartPlot::draw_limits(QPainter* painter) {
  const QRectF plot = area();
  painter->setFont(Theme::current().font(FontRole::caption));
  for (const ChartLimit& limit : limits_) {
    const double y = std::round(position(x_.low, limit.value).y());
    painter->setPen(stroke_pen(Stroke::dots, 1.2, ink(Colour::bad)));
    painter->drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter->setPen(ink(Colour::bad));
    const bool above = y - plot.top() > painter->fontMetrics().height() + 2;
    const double top = above ? y - painter->fontMetrics().height() - 1 : y + 1;
    painter->drawText(QRectF(plot.left(), top, plot.width() - units(1), painter->fontMetrics().height()),
                      Qt::AlignRight | Qt::AlignVCenter, limit.label);
  }
}

void ChartPlot::draw_note(QPainter* painter) {
  if (note_.isEmpty()) return;
  const QRectF plot = x_.high > x_.low ? area() : QRectF(viewport()->rect());
  painter->setFont(Theme::current().font(FontRole::small));
  painter->setPen(ink(Colour::muted));
  if (!has_data_) {
    painter->drawText(plot, Qt::AlignCenter | Qt::TextWordWrap, note_);
    return;
  }
  const QRectF words(plot.left(), 0, plot.width(), note_height() - units(1));
  painter->drawText(
      words, Qt::AlignLeft | Qt::AlignVCenter,
      painter->fontMetrics().elidedText(note_, Qt::ElideRight, static_cast<int>(words.width())));
}

QString ChartPlot::value_text(double value) const {
  if (scale_ != ValueScale::tail) return three_digits(value);
  // As many digits as tell it from 100.
  const int nines = static_cast<int>(to_scale(scale_, value));
  return real_text(value, std::clamp(nines, 1, 6)) + QStringLiteral(" %");
}

QString ChartPlot::crosshair_text() const {
  QStringList words;
  std::optional<std::int64_t> samples;
  for (const ChartSeries& series : *series_) {
    const auto after = std::upper_bound(series.x.begin(), series.x.end(), crosshair_);
    const bool here = after != series.x.begin() && *(after - 1) == crosshair_;
    // A curve of shares holds between its points; elsewhere nobody knows what lies there.
    if (!here && (scale_ != ValueScale::tail || after == series.x.begin())) continue;
    const auto at = static_cast<std::size_t>(after - series.x.begin() - 1);
    if (std::isfinite(series.y[at])) words << series.name + QLatin1Char(' ') + value_text(series.y[at]);
    if (!series.n.empty()) samples = series.n[at];
  }
  if (samples) words << tr("n %1").arg(count_text(*samples));
  return words.isEmpty() ? tr("no data") : words.join(QStringLiteral(" · "));
}

void ChartPlot::draw_crosshair(QPainter* painter) {
  const QRectF plot = area();
  const double x = std::round(position(crosshair_, values_.low).x());
  if (x < plot.left() || x > plot.right()) return;
  painter->setPen(QPen(ink(Colour::accent), 1));
  painter->drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));

  painter->setFont(Theme::current().font(FontRole::small));
  const QFontMetrics metrics(painter->font());
  const QString words = crosshair_text();
  const int width = metrics.horizontalAdvance(words) + units(2);
  double left = x + units(1);
  if (left + width > plot.right()) left = std::max(plot.left(), x - units(1) - width);
  const QRectF box(left, plot.top(), width, metrics.height() + units(0.5));
  painter->setPen(Qt::NoPen);
  painter->setBrush(ink(Colour::panel));
  painter->drawRect(box);
  painter->setPen(ink(Colour::text));
  painter->drawText(box, Qt::AlignCenter, words);

  if (!hasFocus() && !pinned_ && !underMouse()) return;
  const QString place = x_text(crosshair_);
  const double pill_width = metrics.horizontalAdvance(place) + units(2);
  const double pill_left = std::clamp(x - pill_width / 2, 0.0, viewport()->width() - pill_width);
  const QRectF pill(pill_left, plot.bottom() + 1, pill_width, viewport()->height() - plot.bottom() - 2);
  painter->setPen(Qt::NoPen);
  painter->setBrush(ink(Colour::accent));
  painter->drawRoundedRect(pill, units(0.5), units(0.5));
  painter->setPen(ink(Colour::on_accent));
  painter->drawText(pill, Qt::AlignCenter, place);
}

}  // namespace pitwall::ui
