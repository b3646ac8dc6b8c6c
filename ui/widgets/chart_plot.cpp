// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_plot.h"

#include <QChart>
#include <QDateTime>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QLineSeries>
#include <QLocale>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stroke.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Seconds east of UTC: whole minutes and hours are those of the wall clock.
double zone_offset(double utc) {
  return QDateTime::fromSecsSinceEpoch(static_cast<qint64>(utc)).offsetFromUtc();
}

QString clock_text(double utc, bool with_seconds) {
  return QDateTime::fromMSecsSinceEpoch(std::llround(utc * 1000))
      .toString(with_seconds ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm"));
}

}  // namespace

ChartPlot::ChartPlot(bool log, QWidget* parent)
    : QChartView(new QChart, parent),
      log_(log),
      crosshair_(kNone),
      x_axis_(new QValueAxis),
      y_axis_(new QValueAxis) {
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

void ChartPlot::set_time_range(double from, double to) {
  fixed_time_ = true;
  time_ = {from, to};
  refresh();
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

void ChartPlot::update_limits() {
  double first = std::numeric_limits<double>::infinity(), last = -first, low = first, high = -first;
  for (const ChartSeries& series : *series_)
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (fixed_time_ && (series.x[i] < time_.low || series.x[i] > time_.high)) continue;
      first = std::min(first, series.x[i]);
      last = std::max(last, series.x[i]);
      if (!std::isfinite(series.y[i]) || (log_ && series.y[i] <= 0)) continue;
      low = std::min(low, series.y[i]);
      high = std::max(high, series.y[i]);
    }
  has_data_ = high >= low;
  if (!fixed_time_ && last >= first) time_ = {first, last > first ? last : first + 1};
  for (const ChartLimit& limit : limits_) {
    low = std::min(low, limit.value);
    high = std::max(high, limit.value);
  }
  const AxisLimits wanted = log_ ? log_limits(low, high) : linear_limits(high);
  if (has_data_ || !limits_.empty()) values_ = steady_.update(wanted, time_.high);
  if (!has_data_ && limits_.empty()) values_ = wanted;
  x_axis_->setRange(time_.low, time_.high);
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
    for (const auto& segment : decimate(series.x, series.y, time_.low, time_.high, columns)) {
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

QPointF ChartPlot::position(double x, double value) const {
  const QRectF plot = area();
  const double low = to_plot(values_.low), high = to_plot(values_.high);
  return {plot.left() + (x - time_.low) / (time_.high - time_.low) * plot.width(),
          plot.bottom() - (to_plot(value) - low) / (high - low) * plot.height()};
}

double ChartPlot::x_at(double pixel) const {
  return time_.low + (pixel - area().left()) / area().width() * (time_.high - time_.low);
}

std::vector<double> ChartPlot::value_ticks() const {
  if (!log_) return linear_ticks(values_, kLinearSteps);
  const int line = QFontMetrics(Theme::current().font(FontRole::caption)).height();
  return log_ticks(values_, std::max(2, static_cast<int>(viewport()->height() / (line * 1.5)) - 1));
}

std::vector<double> ChartPlot::shown_time_ticks() const {
  const QFontMetrics metrics(Theme::current().font(FontRole::caption));
  const int label = metrics.horizontalAdvance(QStringLiteral("00:00:00"));
  const double offset = zone_offset(time_.high);
  std::vector<double> ticks =
      time_ticks({time_.low + offset, time_.high + offset}, static_cast<int>(area().width() / (label * 1.6)));
  for (double& tick : ticks) tick -= offset;
  return ticks;
}

QString ChartPlot::tick_text(double value) const {
  if (value == 0) return QStringLiteral("0");
  const double step = log_ ? value : nice_step(values_.high - values_.low, kLinearSteps);
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 6);
  return real_text(value, decimals);
}

void ChartPlot::drawBackground(QPainter* painter, const QRectF&) {
  if (!(time_.high > time_.low)) return;
  const QRectF plot = area();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing, false);
  painter->setFont(Theme::current().font(FontRole::caption));
  const QFontMetrics metrics(painter->font());
  for (const double tick : value_ticks()) {
    const double y = std::round(position(time_.low, tick).y());
    painter->setPen(ink(Colour::grid));
    painter->drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter->setPen(ink(Colour::muted));
    painter->drawText(QRectF(0, y - metrics.height() / 2.0, plot.left() - units(1.5), metrics.height()),
                      Qt::AlignRight | Qt::AlignVCenter, tick_text(tick));
  }
  const std::vector<double> times = shown_time_ticks();
  const bool with_seconds = times.size() < 2 || times[1] - times[0] < 60;
  const double half = metrics.horizontalAdvance(QStringLiteral("00:00:00")) / 2.0 + 1;
  for (const double tick : times) {
    const double x = std::round(position(tick, values_.low).x());
    painter->setPen(ink(Colour::strong));
    painter->drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + units(0.75)));
    painter->setPen(ink(Colour::muted));
    const double left = std::clamp(x - half, 0.0, viewport()->width() - 2 * half);
    painter->drawText(QRectF(left, plot.bottom() + units(1.25), 2 * half, metrics.height()), Qt::AlignCenter,
                      clock_text(tick, with_seconds));
  }
  painter->setPen(ink(Colour::strong));
  painter->drawLine(plot.bottomLeft(), plot.bottomRight());
  painter->drawLine(plot.topLeft(), plot.bottomLeft());
  painter->restore();
}

void ChartPlot::drawForeground(QPainter* painter, const QRectF&) {
  if (!(time_.high > time_.low) || series_ == nullptr) return;
  painter->save();
  painter->setPen(Qt::NoPen);
  for (const auto& [point, owner] : lone_points_) {
    const ChartSeries& series = (*series_)[owner];
    painter->setBrush(ink(series.colour));
    painter->drawEllipse(position(point.x, point.y), series.width, series.width);
  }
  painter->setBrush(Qt::NoBrush);
  draw_marks(painter);
  draw_limits(painter);
  draw_note(painter);
  if (std::isfinite(crosshair_)) draw_crosshair(painter);
  if (hasFocus()) {
    painter->setPen(QPen(ink(Colour::accent), 2));
    painter->drawRoundedRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1), units(1), units(1));
  }
  painter->restore();
}

void ChartPlot::draw_marks(QPainter* painter) {
  for (const ChartSeries& series : *series_) {
    if (series.stroke != Stroke::marks) continue;
    painter->setPen(QPen(ink(series.colour), series.width));
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i]) || series.x[i] < time_.low || series.x[i] > time_.high) continue;
      const QPointF at = position(series.x[i], series.y[i]);
      painter->drawLine(at - QPointF(0, units(0.75)), at + QPointF(0, units(0.75)));
    }
  }
}

void ChartPlot::draw_limits(QPainter* painter) {
  const QRectF plot = area();
  painter->setFont(Theme::current().font(FontRole::caption));
  for (const ChartLimit& limit : limits_) {
    const double y = std::round(position(time_.low, limit.value).y());
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
  const int height = painter->fontMetrics().height();
  painter->drawText(
      QRectF(plot.left() + units(1.5), plot.top(), plot.width() - units(3), height),
      Qt::AlignLeft | Qt::AlignVCenter,
      painter->fontMetrics().elidedText(note_, Qt::ElideRight, static_cast<int>(plot.width()) - units(3)));
}

QString ChartPlot::crosshair_text() const {
  QStringList words;
  for (const ChartSeries& series : *series_) {
    const auto found = std::find(series.x.begin(), series.x.end(), crosshair_);
    if (found == series.x.end()) continue;
    const double value = series.y[static_cast<std::size_t>(found - series.x.begin())];
    if (std::isfinite(value)) words << series.name + QLatin1Char(' ') + three_digits(value);
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
  const QString time = clock_text(crosshair_, true);
  const double pill_width = metrics.horizontalAdvance(time) + units(2);
  const double pill_left = std::clamp(x - pill_width / 2, 0.0, viewport()->width() - pill_width);
  const QRectF pill(pill_left, plot.bottom() + 1, pill_width, viewport()->height() - plot.bottom() - 2);
  painter->setPen(Qt::NoPen);
  painter->setBrush(ink(Colour::accent));
  painter->drawRoundedRect(pill, units(0.5), units(0.5));
  painter->setPen(ink(Colour::on_accent));
  painter->drawText(pill, Qt::AlignCenter, time);
}

double ChartPlot::nearest_sample(double x) const {
  double best = kNone;
  if (series_ == nullptr) return best;
  for (const ChartSeries& series : *series_)
    for (const double sample : series.x)
      if (sample >= time_.low && sample <= time_.high && !(std::abs(sample - x) >= std::abs(best - x)))
        best = sample;
  return best;
}

double ChartPlot::step_sample(double x, int by) const {
  std::vector<double> samples;
  for (const ChartSeries& series : *series_)
    for (const double sample : series.x)
      if (sample >= time_.low && sample <= time_.high) samples.push_back(sample);
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
      return move_user_crosshair(nearest_sample(time_.low));
    case Qt::Key_End:
      return move_user_crosshair(nearest_sample(time_.high));
    case Qt::Key_Escape:
      if (!std::isfinite(crosshair_)) break;
      return move_user_crosshair(kNone);
    default:
      break;
  }
  event->ignore();
}

void ChartPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!pinned_) move_user_crosshair(nearest_sample(x_at(event->position().x())));
}

void ChartPlot::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  move_user_crosshair(nearest_sample(x_at(event->position().x())));
  pinned_ = true;
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
