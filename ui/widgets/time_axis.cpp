// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/time_axis.h"

#include <QDateTime>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/shell/theme.h"

namespace pitwall::ui {

QString clock_text(double utc, bool with_seconds) {
  return QDateTime::fromMSecsSinceEpoch(std::llround(utc * 1000))
      .toString(with_seconds ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm"));
}

std::vector<double> clock_ticks(AxisLimits seconds, int most) {
  // Seconds east of UTC: whole minutes and hours are those of the wall clock.
  const double offset = QDateTime::fromSecsSinceEpoch(static_cast<qint64>(seconds.high)).offsetFromUtc();
  std::vector<double> ticks = time_ticks({seconds.low + offset, seconds.high + offset}, most);
  for (double& tick : ticks) tick -= offset;
  return ticks;
}

void draw_clock_ticks(QPainter& painter, const QRectF& plot, AxisLimits seconds, double wide) {
  const QFontMetrics metrics(painter.font());
  const double label = metrics.horizontalAdvance(QStringLiteral("00:00:00"));
  const std::vector<double> ticks = clock_ticks(seconds, static_cast<int>(plot.width() / (label * 1.6)));
  const bool with_seconds = ticks.size() < 2 || ticks[1] - ticks[0] < 60;
  for (const double tick : ticks) {
    const double x =
        std::round(plot.left() + (tick - seconds.low) / (seconds.high - seconds.low) * plot.width());
    painter.setPen(ink(Colour::strong));
    painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + units(0.75)));
    painter.setPen(ink(Colour::muted));
    const QString text = clock_text(tick, with_seconds);
    const double half = metrics.horizontalAdvance(text) / 2.0 + 1;
    const double left = std::clamp(x - half, 0.0, wide - 2 * half);
    painter.drawText(QRectF(left, plot.bottom() + units(1.25), 2 * half, metrics.height()), Qt::AlignCenter,
                     text);
  }
}

}  // namespace pitwall::ui
