// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_plot.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QLineSeries>
#include <QLocale>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/report/axis.h"
#include "engine/report/cdf.h"
#include "ui/shell/theme.h"
#include "ui/widgets/label_room.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stroke.h"
#include "ui/widgets/time_axis.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ChartPlot::ChartPlot(bool log, XAxis x_axis, QWidget* parent)
    : QChartView(new QChart, parent),
      log_(log),
      kind_(x_axis),
      crosshair_(kNone),
      span_from_(kNone),
      x_axis_(new QValueAxis),
      y_axis_(new QValueAxis) {
  age_.start();
  setFrameShape(QFrame::NoFrame);
  setProperty("bare", true);
  setRenderHint(QPainter::Antialiasing);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setBackgroundBrush(Qt::NoBrush);
  setAutoFillBackground(false);
  viewport()->setAutoFillBackground(false);
  chart()->setBackgroundVisible(false);
  chart()->setMargins({});
  chart()->layout()->setContentsMargins(0, 0, 0, 0);
  chart()->legend()->hide();
  for (QValueAxis* axis : {x_axis_, y_axis_}) axis->setVisible(false);
  chart()->addAxis(x_axis_, Qt::AlignBottom);
  chart()->addAxis(y_axis_, Qt::AlignLeft);
  connect(&Theme::current(), &Theme::changed, this, &ChartPlot::refresh);
}

QSize ChartPlot::sizeHint() const {
  return {units(90), units(32)};
}
QSize ChartPlot::minimumSizeHint() const {
  return {units(40), units(20)};
}

void ChartPlot::set_series(const std::vector<ChartSeries>* series) {
  series_ = series;
  refresh();
}

void ChartPlot::set_limits(std::vector<ChartLimit> limits) {
  limits_ = std::move(limits);
  refresh();
}

void ChartPlot::set_marks(const std::vector<ChartMark>* marks) {
  marks_ = marks;
  refresh();
}

void ChartPlot::set_time_range(double from, double to) {
  fixed_time_ = true;
  x_ = {from, to};
  refresh();
}

void ChartPlot::set_laps(std::vector<ChartLap> laps) {
  if (laps == laps_) return;
  laps_ = std::move(laps);
  viewport()->update();
}

void ChartPlot::set_note(const QString& note) {
  note_ = note;
  viewport()->update();
}

void ChartPlot::set_crosshair(double x) {
  crosshair_ = x;
  if (std::isnan(x)) pinned_ = false;
  viewport()->update();
}

/// A hidden chart costs nothing: it catches up when it is shown.
void ChartPlot::refresh() {
  if (!isVisible() || series_ == nullptr) return;
  update_limits();
  place_plot_area();
  update_lines();
  viewport()->update();
}

double ChartPlot::now() const {
  return kind_ == XAxis::time ? x_.high : static_cast<double>(age_.elapsed()) / 1000;
}

void ChartPlot::update_limits() {
  AxisLimits across{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  AxisLimits up = across;
  const auto widen = [](AxisLimits& limits, double value) {
    limits = {std::min(limits.low, value), std::max(limits.high, value)};
  };
  const auto add = [&](double x, double y) {
    if ((fixed_time_ && (x < x_.low || x > x_.high)) || (kind_ == XAxis::log && x <= 0)) return;
    widen(across, x);
    if (std::isfinite(y) && (!log_ || y > 0)) widen(up, y);
  };
  for (const ChartSeries& series : *series_)
    for (std::size_t i = 0; i < series.x.size(); ++i) add(series.x[i], series.y[i]);
  has_data_ = up.high >= up.low;
  if (marks_ != nullptr && has_data_)
    for (const ChartMark& mark : *marks_) add(mark.x, mark.shape == ChartMark::Shape::guide ? kNone : mark.y);
  if (!fixed_time_ && across.high >= across.low) {
    if (kind_ == XAxis::time) x_ = {across.low, across.high > across.low ? across.high : across.low + 1};
    if (kind_ == XAxis::linear) x_ = steady_x_.update(linear_limits(across.high), now());
    if (kind_ == XAxis::log) x_ = steady_x_.update(log_limits(across.low, across.high), now());
  }
  for (const ChartLimit& limit : limits_) widen(up, limit.value);
  const AxisLimits wanted = nines_ ? AxisLimits{0, nines_axis(up.high).high}
                            : log_ ? log_limits(up.low, up.high)
                                   : linear_limits(up.high);
  if (has_data_ || !limits_.empty()) values_ = steady_.update(wanted, now());
  if (!has_data_ && limits_.empty()) values_ = wanted;
  x_axis_->setRange(to_axis(x_.low), to_axis(x_.high));
  y_axis_->setRange(to_plot(values_.low), to_plot(values_.high));
}

void ChartPlot::place_plot_area() {
  const QFontMetrics metrics(Theme::current().font(FontRole::caption));
  int widest = metrics.horizontalAdvance(QStringLiteral("0.00"));
  for (const double tick : value_ticks())
    widest = std::max(widest, metrics.horizontalAdvance(tick_text(tick)));
  const QRectF whole(viewport()->rect());
  chart()->resize(whole.size());
  chart()->setPlotArea(
      whole.adjusted(widest + units(2), metrics.height() / 2.0, -units(2), -metrics.height() - units(1.5)));
}

void ChartPlot::update_lines() {
  std::size_t used = 0;
  lone_points_.clear();
  const int columns = std::max(1, static_cast<int>(area().width()));
  for (std::size_t s = 0; s < series_->size(); ++s) {
    const ChartSeries& series = (*series_)[s];
    if (series.stroke == Stroke::marks) continue;
    std::vector<double> across = series.x;
    for (double& x : across) x = to_axis(x);
    for (const auto& segment : decimate(across, series.y, to_axis(x_.low), to_axis(x_.high), columns)) {
      if (segment.size() == 1) {
        lone_points_.emplace_back(segment.front(), s);
        continue;
      }
      if (used == lines_.size()) {
        lines_.push_back(new QLineSeries);
        chart()->addSeries(lines_.back());
        lines_.back()->attachAxis(x_axis_);
        lines_.back()->attachAxis(y_axis_);
      }
      QList<QPointF> points;
      points.reserve(static_cast<qsizetype>(segment.size()));
      for (const PlotPoint& point : segment) points << QPointF(point.x, to_plot(point.y));
      QLineSeries* line = lines_[used++];
      line->setPen(stroke_pen(series.stroke, series.width, ink(series.colour)));
      line->replace(points);
      line->setVisible(true);
    }
  }
  for (std::size_t i = used; i < lines_.size(); ++i) lines_[i]->setVisible(false);
}

QRectF ChartPlot::area() const {
  return chart()->plotArea();
}

double ChartPlot::to_plot(double value) const {
  return log_ ? std::log10(std::max(value, std::numeric_limits<double>::min())) : value;
}

double ChartPlot::to_axis(double x) const {
  return kind_ == XAxis::log ? std::log10(std::max(x, std::numeric_limits<double>::min())) : x;
}

QPointF ChartPlot::position(double x, double value) const {
  const QRectF plot = area();
  const double left = to_axis(x_.low), right = to_axis(x_.high);
  const double low = to_plot(values_.low), high = to_plot(values_.high);
  return {plot.left() + (to_axis(x) - left) / (right - left) * plot.width(),
          plot.bottom() - (to_plot(value) - low) / (high - low) * plot.height()};
}

double ChartPlot::x_at(double pixel) const {
  const double left = to_axis(x_.low), right = to_axis(x_.high);
  const double x = left + (pixel - area().left()) / area().width() * (right - left);
  return kind_ == XAxis::log ? std::pow(10, x) : x;
}

std::vector<double> ChartPlot::value_ticks() const {
  if (nines_) return nines_axis(values_.high).ticks;
  if (!log_) return linear_ticks(values_, kLinearSteps);
  const int line = QFontMetrics(Theme::current().font(FontRole::caption)).height();
  return log_ticks(values_, std::max(2, static_cast<int>(viewport()->height() / (line * 1.15)) - 1));
}

QString ChartPlot::x_text(double x) const {
  if (kind_ == XAxis::time) return clock_text(x, true);
  return x == std::round(x) ? count_text(std::llround(x)) : three_digits(x);
}

QString ChartPlot::tick_text(double value) const {
  if (nines_) return QString::fromStdString(nines_label(static_cast<int>(std::lround(value))));
  if (value == 0) return QStringLiteral("0");
  const double step = log_ ? value : nice_step(values_.high - values_.low, kLinearSteps);
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 6);
  return real_text(value, decimals);
}

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
                      Qt::AlignRight | Qt::AlignVCenter, tick_text(tick));
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
  const int label = metrics.horizontalAdvance(x_text(std::round(x_.high)));
  const int most = std::max(2, static_cast<int>(plot.width() / (label * 1.6)));
  for (const double tick : kind_ == XAxis::log ? log_ticks(x_, most) : linear_ticks(x_, most)) {
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
  if (!(x_.high > x_.low) || series_ == nullptr) return;
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
    painter->drawText(words, Qt::AlignCenter, mark.text);
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
    painter->setPen(ink(series.colour));
    painter->drawText(
        room.place_along(line, {metrics.horizontalAdvance(series.name) + 1, metrics.height()}, units(1)),
        Qt::AlignCenter, series.name);
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
  const QRectF plot = area();
  painter->setFont(Theme::current().font(FontRole::small));
  painter->setPen(ink(Colour::muted));
  if (!has_data_) {
    painter->drawText(plot, Qt::AlignCenter | Qt::TextWordWrap, note_);
    return;
  }
  // At the top, or below where a line runs there.
  const double height = painter->fontMetrics().height();
  const bool taken = std::any_of(series_->begin(), series_->end(), [&](const ChartSeries& series) {
    const QPolygonF line = pixels_of(series);
    return std::any_of(line.begin(), line.end(),
                       [&](const QPointF& at) { return at.y() < plot.top() + 1.2 * height; });
  });
  painter->drawText(
      QRectF(plot.left() + units(1.5), taken ? plot.bottom() - height : plot.top(), plot.width() - units(3),
             height),
      Qt::AlignLeft | Qt::AlignVCenter,
      painter->fontMetrics().elidedText(note_, Qt::ElideRight, static_cast<int>(plot.width()) - units(3)));
}

QString ChartPlot::crosshair_text() const {
  QStringList words;
  for (const ChartSeries& series : *series_) {
    const auto found = std::find(series.x.begin(), series.x.end(), crosshair_);
    if (found == series.x.end()) continue;
    const double value = series.y[static_cast<std::size_t>(found - series.x.begin())];
    if (!std::isfinite(value)) continue;
    words << series.name + QLatin1Char(' ') + (nines_ ? nines_text(value) : three_digits(value));
  }
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

double ChartPlot::nearest_sample(double x) const {
  double best = kNone;
  if (series_ == nullptr) return best;
  for (const ChartSeries& series : *series_)
    for (const double sample : series.x)
      if (sample >= x_.low && sample <= x_.high &&
          !(std::abs(to_axis(sample) - to_axis(x)) >= std::abs(to_axis(best) - to_axis(x))))
        best = sample;
  return best;
}

double ChartPlot::step_sample(double x, int by) const {
  std::vector<double> samples;
  for (const ChartSeries& series : *series_)
    for (const double sample : series.x)
      if (sample >= x_.low && sample <= x_.high) samples.push_back(sample);
  if (samples.empty()) return kNone;
  std::sort(samples.begin(), samples.end());
  samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
  if (!std::isfinite(x)) return samples.back();
  const auto found = std::lower_bound(samples.begin(), samples.end(), x) - samples.begin();
  const auto next =
      std::clamp<std::ptrdiff_t>(found + by, 0, static_cast<std::ptrdiff_t>(samples.size()) - 1);
  return samples[static_cast<std::size_t>(next)];
}

void ChartPlot::move_user_crosshair(double x) {
  set_crosshair(x);
  Q_EMIT crosshair_moved(x);
}

void ChartPlot::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  refresh();
}

void ChartPlot::showEvent(QShowEvent* event) {
  QChartView::showEvent(event);
  refresh();
}

void ChartPlot::keyPressEvent(QKeyEvent* event) {
  if (series_ == nullptr) return event->ignore();
  switch (event->key()) {
    case Qt::Key_Left:
      return move_user_crosshair(step_sample(crosshair_, -1));
    case Qt::Key_Right:
      return move_user_crosshair(step_sample(crosshair_, +1));
    case Qt::Key_Home:
      return move_user_crosshair(nearest_sample(x_.low));
    case Qt::Key_End:
      return move_user_crosshair(nearest_sample(x_.high));
    case Qt::Key_Escape:
      if (!std::isfinite(crosshair_)) break;
      return move_user_crosshair(kNone);
    default:
      break;
  }
  event->ignore();
}

void ChartPlot::mouseMoveEvent(QMouseEvent* event) {
  const bool drags = kind_ == XAxis::time && (event->buttons() & Qt::LeftButton);
  if (drags && !std::isfinite(span_from_)) span_from_ = crosshair_;
  if (!pinned_ || drags) move_user_crosshair(nearest_sample(x_at(event->position().x())));
}

void ChartPlot::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  move_user_crosshair(nearest_sample(x_at(event->position().x())));
  pinned_ = true;
}

void ChartPlot::mouseReleaseEvent(QMouseEvent*) {
  const double from = std::min(span_from_, crosshair_), to = std::max(span_from_, crosshair_);
  span_from_ = kNone;
  if (!(to > from)) return;
  move_user_crosshair(kNone);
  Q_EMIT span_chosen(from, to);
}

void ChartPlot::leaveEvent(QEvent* event) {
  QChartView::leaveEvent(event);
  if (!pinned_ && !hasFocus()) move_user_crosshair(kNone);
}

void ChartPlot::focusInEvent(QFocusEvent* event) {
  QChartView::focusInEvent(event);
  viewport()->update();
}

void ChartPlot::focusOutEvent(QFocusEvent* event) {
  QChartView::focusOutEvent(event);
  viewport()->update();
}

}  // namespace pitwall::ui
