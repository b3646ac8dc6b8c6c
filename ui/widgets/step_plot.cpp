// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/step_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/time_axis.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kZoomStep = 2;
constexpr double kShortest = 1e-4;  // s: one step of the fastest engine

bool starts_before(const StepSpan& step, double at) {
  return step.from < at;
}

/// One pixel column, or one step where a step is wider.
struct Column {
  double left = 0, right = 0;
  int prefill = 0, decode = 0, preempted = 0, evicted = 0;
  void add(const StepSpan& step) {
    prefill = std::max(prefill, step.prefill);
    decode = std::max(decode, step.decode);
    preempted += step.preempted;
    evicted += step.evicted;
  }
};

}  // namespace

StepPlot::StepPlot(QWidget* parent) : QWidget(parent), drag_from_(kNone), drag_to_(kNone) {
  setFocusPolicy(Qt::StrongFocus);
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize StepPlot::sizeHint() const {
  return {units(90), units(32)};
}
QSize StepPlot::minimumSizeHint() const {
  return {units(40), units(20)};
}

void StepPlot::set_steps(const std::vector<StepSpan>* steps, std::size_t last) {
  steps_ = steps;
  last_ = last;
  if (!zoomed_) follow();
  update();
}

void StepPlot::set_laps(const std::vector<ChartLap>& laps) {
  laps_ = laps;
}

void StepPlot::follow() {
  zoomed_ = false;
  if (steps_ == nullptr || steps_->empty()) return;
  const std::size_t first = last_ > 0 && last_ < steps_->size() ? steps_->size() - last_ : 0;
  x_ = {(*steps_)[first].from, std::max(steps_->back().to, (*steps_)[first].from + kShortest)};
  Q_EMIT span_changed();
}

void StepPlot::zoom_to(double from, double to) {
  zoomed_ = true;
  x_ = {from, std::max(to, from + kShortest)};
  update();
  Q_EMIT span_changed();
}

void StepPlot::zoom(double factor, double around) {
  if (steps_ == nullptr || steps_->empty()) return;
  const double whole = steps_->back().to - steps_->front().from;
  const double wide = std::max((x_.high - x_.low) * factor, kShortest);
  if (wide >= whole) {
    follow();
    return update();
  }
  const double share = std::clamp((around - x_.low) / (x_.high - x_.low), 0.0, 1.0);
  zoom_to(around - share * wide, around + (1 - share) * wide);
}

std::span<const StepSpan> StepPlot::shown() const {
  if (steps_ == nullptr) return {};
  auto first = std::lower_bound(steps_->begin(), steps_->end(), x_.low, starts_before);
  if (first != steps_->begin() && (first - 1)->to > x_.low) --first;
  const auto last = std::lower_bound(first, steps_->end(), x_.high, starts_before);
  return {first, last};
}

QRectF StepPlot::area() const {
  const QFontMetrics metrics(Theme::current().font(FontRole::caption));
  const int widest = metrics.horizontalAdvance(QStringLiteral("00,000"));
  return QRectF(rect()).adjusted(widest + units(2), metrics.height(), -units(2),
                                 -metrics.height() - units(1.5));
}

double StepPlot::x_of(double at, const QRectF& plot) const {
  return plot.left() + (at - x_.low) / (x_.high - x_.low) * plot.width();
}
double StepPlot::x_at(double pixel) const {
  const QRectF plot = area();
  return x_.low + (pixel - plot.left()) / plot.width() * (x_.high - x_.low);
}

const StepSpan* StepPlot::chosen() const {
  if (chosen_ == 0 || steps_ == nullptr) return nullptr;
  const auto found = std::lower_bound(steps_->begin(), steps_->end(), chosen_,
                                      [](const StepSpan& step, std::uint64_t of) { return step.step < of; });
  return found != steps_->end() && found->step == chosen_ ? &*found : nullptr;
}

void StepPlot::choose(std::uint64_t step) {
  chosen_ = step;
  if (const StepSpan* found = chosen(); found && (found->from < x_.low || found->to > x_.high)) {
    const double half = std::max((x_.high - x_.low) / 2, found->to - found->from);
    const double middle = (found->from + found->to) / 2;
    zoom_to(middle - half, middle + half);
  }
  update();
  Q_EMIT step_chosen(step);
}

void StepPlot::choose_at(double at) {
  if (steps_ == nullptr || steps_->empty()) return;
  auto after = std::lower_bound(steps_->begin(), steps_->end(), at, starts_before);
  if (after != steps_->begin()) --after;
  choose(after->step);
}

void StepPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(Theme::current().font(FontRole::caption));
  const QRectF plot = area();
  const auto steps = shown();
  if (steps.empty()) {
    painter.setPen(ink(Colour::muted));
    painter.drawText(plot, Qt::AlignCenter, tr("No step here"));
  } else {
    double most = 1;
    for (const StepSpan& step : steps) most = std::max<double>(most, step.prefill + step.decode);
    most = linear_limits(most).high;
    draw_axes(painter, plot, most);
    painter.save();
    painter.setClipRect(plot.adjusted(0, -plot.top(), 0, 1));
    draw_steps(painter, plot, most);
    draw_chosen(painter, plot);
    painter.restore();
    draw_laps(
        painter, plot, laps_, [this](double at) { return x_of(at); }, hasFocus());
  }
  if (hasFocus()) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink(Colour::accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), units(1), units(1));
  }
}

void StepPlot::draw_axes(QPainter& painter, const QRectF& plot, double most) const {
  const QFontMetrics metrics(painter.font());
  for (const double tick : linear_ticks({0, most}, kLinearSteps)) {
    if (tick != std::round(tick)) continue;
    const double y = std::round(plot.bottom() - tick / most * plot.height());
    painter.setPen(ink(Colour::grid));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(ink(Colour::muted));
    painter.drawText(QRectF(0, y - metrics.height() / 2.0, plot.left() - units(1.5), metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, count_text(std::llround(tick)));
  }
  if (x_.high - x_.low >= 10) {
    draw_clock_ticks(painter, plot, x_, width());
  } else {  // what a clock cannot tell apart: its beginning, and how long it is
    painter.setPen(ink(Colour::muted));
    const QRectF below(plot.left(), plot.bottom() + units(1.25), plot.width(), metrics.height());
    painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, clock_text(x_.low, true));
    painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter,
                     QLatin1Char('+') + ms_text((x_.high - x_.low) * 1000));
  }
  painter.setPen(ink(Colour::strong));
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
  painter.drawLine(plot.topLeft(), plot.bottomLeft());
}

void StepPlot::draw_steps(QPainter& painter, const QRectF& plot, double most) const {
  std::vector<Column> columns;
  for (const StepSpan& step : shown()) {
    const double left = std::floor(x_of(step.from, plot)), right = std::floor(x_of(step.to, plot));
    if (columns.empty() || left > columns.back().left || right > columns.back().left + 2)
      columns.push_back({left, std::max(left + 1, right - (right - left >= 3 ? 1 : 0))});
    columns.back().add(step);
  }
  const QFontMetrics metrics(painter.font());
  double labels_from = plot.left(), marks_from = plot.left();
  for (const Column& column : columns) {
    const auto height = [&](int tokens) {
      return tokens > 0 ? std::max(1.0, std::round(tokens / most * plot.height())) : 0.0;
    };
    const double wide = column.right - column.left, decode = height(column.decode);
    const double prefill = height(column.prefill);
    painter.fillRect(QRectF(column.left, plot.bottom() - decode, wide, decode), ink(Colour::itl));
    const QRectF frame(column.left, plot.bottom() - decode - prefill, wide, prefill);
    if (wide < 4) {
      painter.fillRect(frame, ink(Colour::ttft));
    } else if (prefill > 0) {
      painter.setPen(QPen(ink(Colour::ttft), 1));
      painter.drawRect(frame.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    const QString tokens = count_text(column.prefill + column.decode);
    const double label = metrics.horizontalAdvance(tokens), middle = (column.left + column.right) / 2;
    if (column.prefill > 0 && middle - label / 2 >= labels_from && middle + label / 2 <= plot.right()) {
      painter.setPen(ink(Colour::text));
      painter.drawText(QPointF(middle - label / 2, std::max(frame.top() - 2, plot.top() - 1)), tokens);
      labels_from = middle + label / 2 + units(1);
    }
    if (column.preempted + column.evicted == 0 || middle < marks_from) continue;
    painter.setPen(ink(column.preempted > 0 ? Colour::bad : Colour::warn));
    const QString mark = column.preempted > 0 ? QStringLiteral("▼%1").arg(column.preempted)
                                              : QStringLiteral("◇%1").arg(column.evicted);
    painter.drawText(QPointF(middle, plot.bottom() - units(1)), mark);
    marks_from = middle + metrics.horizontalAdvance(mark) + units(1);
  }
}

void StepPlot::draw_chosen(QPainter& painter, const QRectF& plot) const {
  QColor fill = ink(Colour::accent);
  fill.setAlphaF(0.2f);
  if (const StepSpan* step = chosen()) {
    const double left = std::floor(x_of(step->from)), right = std::max(left + 1, std::ceil(x_of(step->to)));
    painter.fillRect(QRectF(left, plot.top(), right - left, plot.height()), fill);
    painter.setPen(QPen(ink(Colour::accent), 1));
    painter.drawLine(QPointF(left, plot.top()), QPointF(left, plot.bottom()));
  }
  if (std::isfinite(drag_from_) && std::isfinite(drag_to_))
    painter.fillRect(
        QRectF(QPointF(x_of(drag_from_), plot.top()), QPointF(x_of(drag_to_), plot.bottom())).normalized(),
        fill);
}

void StepPlot::keyPressEvent(QKeyEvent* event) {
  if (steps_ == nullptr || steps_->empty()) return event->ignore();
  const StepSpan* here = chosen();
  const double around = here ? (here->from + here->to) / 2 : (x_.low + x_.high) / 2;
  const auto step_by = [&](std::ptrdiff_t by) {
    if (!here) return choose(steps_->back().step);
    const std::ptrdiff_t at =
        std::clamp<std::ptrdiff_t>(here - steps_->data() + by, 0, std::ssize(*steps_) - 1);
    choose((*steps_)[static_cast<std::size_t>(at)].step);
  };
  switch (event->key()) {
    case Qt::Key_Left:
      return step_by(-1);
    case Qt::Key_Right:
      return step_by(+1);
    case Qt::Key_Home:
      return choose(steps_->front().step);
    case Qt::Key_End:
      return choose(steps_->back().step);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(1 / kZoomStep, around);
    case Qt::Key_Minus:
      return zoom(kZoomStep, around);
    case Qt::Key_0:
      follow();
      return update();
    default:
      event->ignore();
  }
}

void StepPlot::wheelEvent(QWheelEvent* event) {
  if (event->angleDelta().y() == 0) return event->ignore();
  zoom(event->angleDelta().y() > 0 ? 1 / kZoomStep : kZoomStep, x_at(event->position().x()));
  event->accept();
}

void StepPlot::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  drag_from_ = x_at(event->position().x());
}

void StepPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!std::isfinite(drag_from_)) return;
  drag_to_ = x_at(event->position().x());
  update();
}

void StepPlot::mouseReleaseEvent(QMouseEvent* event) {
  const double from = std::min(drag_from_, drag_to_), to = std::max(drag_from_, drag_to_);
  drag_from_ = drag_to_ = kNone;
  if (x_of(to) - x_of(from) > units(1)) return zoom_to(from, to);
  choose_at(x_at(event->position().x()));
}

}  // namespace pitwall::ui
