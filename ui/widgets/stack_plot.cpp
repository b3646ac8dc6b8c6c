// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/stack_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/shell/theme.h"
#include "ui/widgets/line_height.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/plot_scale.h"
#include "ui/widgets/time_axis.h"

namespace pitwall::ui {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

StackPlot::StackPlot(QWidget* parent) : QWidget(parent), crosshair_(kNone), span_from_(kNone) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize StackPlot::sizeHint() const {
  return {units(90), units(32)};
}
QSize StackPlot::minimumSizeHint() const {
  return {units(40), units(20)};
}

void StackPlot::set_data(const StackData* data) {
  data_ = data;
  values_ = steady_.update(linear_limits(largest()), x_.high);
  update();
}
void StackPlot::set_limits(std::vector<ChartLimit> limits) {
  limits_ = std::move(limits);
}
void StackPlot::set_laps(const std::vector<ChartLap>& laps) {
  laps_ = laps;
}
void StackPlot::set_time_range(double from, double to) {
  x_ = {from, to};
  update();
}
void StackPlot::set_crosshair(double x) {
  crosshair_ = x;
  if (std::isnan(x)) pinned_ = false;
  update();
}

double StackPlot::largest() const {
  double most = 0;
  for (std::size_t i = 0; i < data_->x.size(); ++i) {
    double sum = 0;
    for (const StackLayer& layer : data_->layers) sum += layer.y[i];
    most = std::max({most, sum, data_->line.empty() ? 0 : data_->line[i]});
  }
  // A limit far above what is there would press the layers flat; it is said in words then.
  for (const ChartLimit& limit : limits_)
    if (limit.value < 2 * most) most = std::max(most, limit.value);
  return most;
}

QRectF StackPlot::area() const {
  const QFontMetrics metrics(Theme::current().font(FontRole::caption));
  const int widest = metrics.horizontalAdvance(QStringLiteral("0,000"));
  return QRectF(rect()).adjusted(widest + units(2), metrics.height() / 2.0, -units(2),
                                 -metrics.height() - units(1.5));
}

double StackPlot::x_of(double at) const {
  const QRectF plot = area();
  return plot.left() + (at - x_.low) / (x_.high - x_.low) * plot.width();
}
double StackPlot::y_of(double value) const {
  const QRectF plot = area();
  return plot.bottom() - (value - values_.low) / (values_.high - values_.low) * plot.height();
}

std::size_t StackPlot::nearest(double at) const {
  const auto after = std::lower_bound(data_->x.begin(), data_->x.end(), at);
  if (after == data_->x.end()) return data_->x.size() - 1;
  if (after == data_->x.begin() || *after - at < at - *(after - 1))
    return static_cast<std::size_t>(after - data_->x.begin());
  return static_cast<std::size_t>(after - data_->x.begin()) - 1;
}

void StackPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(Theme::current().font(FontRole::caption));
  const QRectF plot = area();
  if (data_ == nullptr || data_->x.empty() || !(x_.high > x_.low)) {
    painter.setPen(ink(Colour::muted));
    painter.drawText(plot, Qt::AlignCenter, tr("No data yet"));
  } else {
    draw_axes(painter, plot);
    painter.save();
    painter.setClipRect(plot);
    draw_layers(painter, plot);
    draw_lines(painter, plot);
    painter.restore();
    draw_names(painter, plot);
    draw_laps(
        painter, plot, laps_, [this](double at) { return x_of(at); }, hasFocus());
    if (std::isfinite(crosshair_)) draw_crosshair(painter, plot);
  }
  if (hasFocus()) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink(Colour::accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), units(1), units(1));
  }
}

void StackPlot::draw_axes(QPainter& painter, const QRectF& plot) const {
  const QFontMetrics metrics(painter.font());
  for (const double tick : linear_ticks(values_, kLinearSteps)) {
    const double y = std::round(y_of(tick));
    painter.setPen(ink(Colour::grid));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(ink(Colour::muted));
    painter.drawText(QRectF(0, y - metrics.height() / 2.0, plot.left() - units(1.5), metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, tick_text(ValueScale::linear, values_, tick));
  }
  draw_clock_ticks(painter, plot, x_, width());
  painter.setPen(ink(Colour::strong));
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
  painter.drawLine(plot.topLeft(), plot.bottomLeft());
}

void StackPlot::draw_layers(QPainter& painter, const QRectF& plot) const {
  const std::size_t samples = data_->x.size();
  std::vector<double> base(samples, 0);
  for (const StackLayer& layer : data_->layers) {
    QPolygonF shape;
    for (std::size_t i = 0; i < samples; ++i) shape << QPointF(x_of(data_->x[i]), y_of(base[i] + layer.y[i]));
    QPolygonF edge = shape;
    for (std::size_t i = samples; i-- > 0;) shape << QPointF(x_of(data_->x[i]), y_of(base[i]));
    for (std::size_t i = 0; i < samples; ++i) base[i] += layer.y[i];
    QPainterPath path;
    path.addPolygon(shape);
    painter.save();
    painter.setClipPath(path, Qt::IntersectClip);
    fill_part(painter, shape.boundingRect().intersected(plot.adjusted(-1, -1, 1, 1)),
              {layer.name, layer.colour, layer.pattern, 1});
    painter.restore();
    painter.setPen(QPen(ink(Colour::pale_frame), 1));
    painter.drawPolyline(edge);
  }
}

void StackPlot::draw_lines(QPainter& painter, const QRectF& plot) const {
  if (!data_->line.empty()) {
    QPolygonF line;
    for (std::size_t i = 0; i < data_->x.size(); ++i)
      line << QPointF(x_of(data_->x[i]), y_of(data_->line[i]));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink(Colour::panel), 4));
    painter.drawPolyline(line);
    painter.setPen(QPen(ink(Colour::text), 2));
    painter.drawPolyline(line);
    painter.setRenderHint(QPainter::Antialiasing, false);
  }
  const QFontMetrics metrics(painter.font());
  for (const ChartLimit& limit : limits_) {
    painter.setPen(QPen(ink(Colour::bad), 2));
    const bool above = limit.value > values_.high;
    const double y = above ? plot.top() : std::round(y_of(limit.value));
    if (!above) painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    const QString words = above ? tr("%1, above").arg(limit.label) : limit.label;
    const QRectF box(plot.right() - metrics.horizontalAdvance(words) - units(1), y + 1,
                     metrics.horizontalAdvance(words) + units(1), metrics.height());
    painter.fillRect(box, ink(Colour::panel));
    painter.drawText(box, Qt::AlignCenter, words);
  }
}

/// In the layer where it is highest of those samples that leave room for the words.
void StackPlot::draw_names(QPainter& painter, const QRectF& plot) const {
  QFont font = Theme::current().font(FontRole::caption);
  font.setWeight(QFont::DemiBold);
  painter.setFont(font);
  const QFontMetrics metrics(font);
  std::vector<double> base(data_->x.size(), 0);
  const double from = std::max(plot.left(), x_of(data_->x.front()));
  const double to = std::min(plot.right(), x_of(data_->x.back()));
  for (const StackLayer& layer : data_->layers) {
    const double wide = metrics.horizontalAdvance(layer.name) + units(2);
    QRectF best;
    for (std::size_t i = 0; i < data_->x.size(); ++i) {
      const double x = x_of(data_->x[i]), low = y_of(base[i]), high = y_of(base[i] + layer.y[i]);
      base[i] += layer.y[i];
      if (x - wide / 2 < from || x + wide / 2 > to || low - high < best.height()) continue;
      best = QRectF(x - wide / 2, high, wide, low - high);
    }
    if (best.height() < metrics.height() + 2) continue;
    const QRectF words(best.left(), best.center().y() - metrics.height() / 2.0, wide, metrics.height());
    painter.fillRect(words, ink(layer.colour));
    painter.setPen(ink_on(layer.colour));
    painter.drawText(words, Qt::AlignCenter, layer.name);
  }
}

void StackPlot::draw_crosshair(QPainter& painter, const QRectF& plot) const {
  const double x = std::round(x_of(crosshair_));
  if (x < plot.left() || x > plot.right()) return;
  if (std::isfinite(span_from_)) {
    QColor chosen = ink(Colour::accent);
    chosen.setAlphaF(0.2f);
    painter.fillRect(QRectF(QPointF(x_of(span_from_), plot.top()), QPointF(x, plot.bottom())).normalized(),
                     chosen);
  }
  painter.setPen(QPen(ink(Colour::accent), 1));
  painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
  const std::size_t sample = nearest(crosshair_);
  QStringList words;
  for (const StackLayer& layer : data_->layers)
    if (layer.y[sample] > 0) words << layer.name + QLatin1Char(' ') + three_digits(layer.y[sample]);
  if (!data_->line.empty()) words << data_->line_name + QLatin1Char(' ') + three_digits(data_->line[sample]);
  painter.setFont(Theme::current().font(FontRole::small));
  const QFontMetrics metrics(painter.font());
  double left = x + units(1);
  double wide = 0;
  for (const QString& line : words) wide = std::max<double>(wide, metrics.horizontalAdvance(line) + units(2));
  if (left + wide > plot.right()) left = std::max(plot.left(), x - units(1) - wide);
  const QRectF box(left, plot.top(), wide, line_height(painter.font()) * words.size() + units(0.5));
  painter.fillRect(box, ink(Colour::panel));
  painter.setPen(ink(Colour::border));
  painter.drawRect(box);
  painter.setPen(ink(Colour::text));
  painter.drawText(box.adjusted(units(1), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                   words.join(QLatin1Char('\n')));
}

void StackPlot::move_user_crosshair(double at) {
  const double x = std::isfinite(at) ? data_->x[nearest(std::clamp(at, x_.low, x_.high))] : at;
  set_crosshair(x);
  Q_EMIT crosshair_moved(x);
}

void StackPlot::keyPressEvent(QKeyEvent* event) {
  if (data_ == nullptr || data_->x.empty()) return event->ignore();
  const std::size_t here = std::isfinite(crosshair_) ? nearest(crosshair_) : data_->x.size() - 1;
  switch (event->key()) {
    case Qt::Key_Left:
      return move_user_crosshair(data_->x[here > 0 && std::isfinite(crosshair_) ? here - 1 : here]);
    case Qt::Key_Right:
      return move_user_crosshair(data_->x[std::min(here + 1, data_->x.size() - 1)]);
    case Qt::Key_Home:
      return move_user_crosshair(x_.low);
    case Qt::Key_End:
      return move_user_crosshair(x_.high);
    case Qt::Key_Escape:
      if (!std::isfinite(crosshair_)) break;
      return move_user_crosshair(kNone);
    default:
      break;
  }
  event->ignore();
}

void StackPlot::mouseMoveEvent(QMouseEvent* event) {
  if (data_ == nullptr || data_->x.empty()) return;
  const bool drags = event->buttons() & Qt::LeftButton;
  if (drags && !std::isfinite(span_from_)) span_from_ = crosshair_;
  if (pinned_ && !drags) return;
  const QRectF plot = area();
  move_user_crosshair(x_.low + (event->position().x() - plot.left()) / plot.width() * (x_.high - x_.low));
}

void StackPlot::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  pinned_ = false;
  mouseMoveEvent(event);
  span_from_ = kNone;
  pinned_ = true;
}

void StackPlot::mouseReleaseEvent(QMouseEvent*) {
  const double from = std::min(span_from_, crosshair_), to = std::max(span_from_, crosshair_);
  span_from_ = kNone;
  if (!(to > from)) return;
  move_user_crosshair(kNone);
  Q_EMIT span_chosen(from, to);
}

void StackPlot::leaveEvent(QEvent*) {
  if (!pinned_ && !hasFocus() && data_ != nullptr) move_user_crosshair(kNone);
}

}  // namespace pitwall::ui
