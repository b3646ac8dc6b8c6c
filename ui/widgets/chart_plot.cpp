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
#include <utility>

#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stroke.h"
#include "ui/widgets/time_axis.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ChartPlot::ChartPlot(ValueScale scale, XAxis x_axis, QWidget* parent)
    : QChartView(new QChart, parent),
      scale_(scale),
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
  mark_stale();
}

void ChartPlot::set_limits(std::vector<ChartLimit> limits) {
  limits_ = std::move(limits);
  mark_stale();
}

void ChartPlot::set_marks(const std::vector<ChartMark>* marks) {
  marks_ = marks;
  mark_stale();
}

void ChartPlot::set_time_range(double from, double to) {
  fixed_time_ = true;
  x_ = {from, to};
  mark_stale();
}

void ChartPlot::set_laps(std::vector<ChartLap> laps) {
  if (laps == laps_) return;
  laps_ = std::move(laps);
  viewport()->update();
}

void ChartPlot::set_note(const QString& note) {
  if (note == note_) return;
  note_ = note;
  mark_stale();
}

void ChartPlot::set_crosshair(double x) {
  crosshair_ = x;
  if (std::isnan(x)) pinned_ = false;
  viewport()->update();
}

void ChartPlot::mark_stale() {
  if (!std::exchange(stale_, true))
    QMetaObject::invokeMethod(this, &ChartPlot::catch_up, Qt::QueuedConnection);
}

void ChartPlot::catch_up() {
  if (stale_) refresh();
}

/// A hidden chart costs nothing: it catches up when it is shown.
void ChartPlot::refresh() {
  stale_ = false;
  if (!isVisible() || series_ == nullptr) return;
  update_limits();
  place_plot_area();
  update_lines();
  viewport()->update();
}

double ChartPlot::now() const {
  return kind_ == XAxis::time ? x_.high : static_cast<double>(age_.elapsed()) / 1000;
}

void ChartPlot::forget_limits() {
  steady_x_ = {};
  steady_ = {};
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
    if (std::isfinite(y) && (scale_ != ValueScale::log || y > 0)) widen(up, y);
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
  const AxisLimits wanted = scale_limits(scale_, up.low, up.high);
  if (has_data_ || !limits_.empty()) values_ = steady_.update(wanted, now());
  if (!has_data_ && limits_.empty()) values_ = wanted;
  x_axis_->setRange(to_axis(x_.low), to_axis(x_.high));
  y_axis_->setRange(to_scale(scale_, values_.low), to_scale(scale_, values_.high));
}

void ChartPlot::place_plot_area() {
  const QFontMetrics metrics(Theme::current().font(FontRole::caption));
  int widest = metrics.horizontalAdvance(QStringLiteral("0.00"));
  for (const double tick : value_ticks())
    widest = std::max(widest, metrics.horizontalAdvance(tick_text(scale_, values_, tick)));
  const QRectF whole(viewport()->rect());
  chart()->resize(whole.size());
  chart()->setPlotArea(whole.adjusted(widest + units(2),
                                      std::max(metrics.height() / 2.0, note_height() + 0.0), -units(2),
                                      -metrics.height() - units(1.5)));
}

int ChartPlot::note_height() const {
  if (note_.isEmpty() || !has_data_) return 0;
  return QFontMetrics(Theme::current().font(FontRole::small)).height() + units(1);
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
      for (const PlotPoint& point : segment) points << QPointF(point.x, to_scale(scale_, point.y));
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

double ChartPlot::to_axis(double x) const {
  return kind_ == XAxis::log ? std::log10(std::max(x, std::numeric_limits<double>::min())) : x;
}

QPointF ChartPlot::position(double x, double value) const {
  const QRectF plot = area();
  const double left = to_axis(x_.low), right = to_axis(x_.high);
  const double low = to_scale(scale_, values_.low), high = to_scale(scale_, values_.high);
  return {plot.left() + (to_axis(x) - left) / (right - left) * plot.width(),
          plot.bottom() - (to_scale(scale_, value) - low) / (high - low) * plot.height()};
}

double ChartPlot::x_at(double pixel) const {
  const double left = to_axis(x_.low), right = to_axis(x_.high);
  const double x = left + (pixel - area().left()) / area().width() * (right - left);
  return kind_ == XAxis::log ? std::pow(10, x) : x;
}

std::vector<double> ChartPlot::value_ticks() const {
  const int line = QFontMetrics(Theme::current().font(FontRole::caption)).height();
  return scale_ticks(scale_, values_,
                     std::max(2, static_cast<int>(viewport()->height() / (line * 1.15)) - 1));
}

QString ChartPlot::x_text(double x) const {
  if (kind_ == XAxis::time) return clock_text(x, true);
  return x == std::round(x) ? count_text(std::llround(x)) : three_digits(x);
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

void ChartPlot::paintEvent(QPaintEvent* event) {
  catch_up();
  QChartView::paintEvent(event);
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
  catch_up();
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

/// The ring, diamond or cross under the pointer, with its words' gap around it.
int ChartPlot::mark_at(const QPointF& point) const {
  if (marks_ == nullptr) return -1;
  for (std::size_t i = 0; i < marks_->size(); ++i) {
    const ChartMark& mark = (*marks_)[i];
    if (mark.shape == ChartMark::Shape::guide) continue;
    if (QLineF(position(mark.x, mark.y), point).length() <= units(2)) return static_cast<int>(i);
  }
  return -1;
}

void ChartPlot::mouseMoveEvent(QMouseEvent* event) {
  catch_up();
  const bool drags = kind_ == XAxis::time && (event->buttons() & Qt::LeftButton);
  if (drags && !std::isfinite(span_from_)) span_from_ = crosshair_;
  if (!pinned_ || drags) move_user_crosshair(nearest_sample(x_at(event->position().x())));
  viewport()->setCursor(mark_at(event->position()) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ChartPlot::mousePressEvent(QMouseEvent* event) {
  catch_up();
  setFocus(Qt::MouseFocusReason);
  move_user_crosshair(nearest_sample(x_at(event->position().x())));
  pinned_ = true;
  pressed_mark_ = mark_at(event->position());
}

void ChartPlot::mouseReleaseEvent(QMouseEvent* event) {
  const double from = std::min(span_from_, crosshair_), to = std::max(span_from_, crosshair_);
  span_from_ = kNone;
  if (const int mark = mark_at(event->position()); mark >= 0 && mark == pressed_mark_)
    return Q_EMIT mark_chosen(mark);
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
