// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/lap_lines.h"

#include <QPainter>
#include <cmath>

#include "ui/shell/theme.h"
#include "ui/widgets/stroke.h"

namespace pitwall::ui {

namespace {

constexpr double kCrowdedUnits = 5;

struct Flag {
  double x = 0;
  int first = 0, last = 0;
  QString text;
};

void draw_flag(QPainter& painter, const QRectF& plot, const Flag& flag, bool with_text) {
  const QFontMetrics metrics(painter.font());
  const QString number = flag.first == flag.last ? QString::number(flag.first)
                                                 : QStringLiteral("%1–%2").arg(flag.first).arg(flag.last);
  const QRectF box(flag.x, plot.top(), metrics.horizontalAdvance(number) + units(2), metrics.height());
  painter.fillRect(box, ink(Colour::text));
  painter.setPen(ink(Colour::panel));
  painter.drawText(box, Qt::AlignCenter, number);
  if (!with_text) return;
  painter.setPen(ink(Colour::text));
  const double room = plot.right() - box.right() - units(1);
  painter.drawText(QRectF(box.right() + units(1), box.top(), room, box.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(flag.text, Qt::ElideRight, static_cast<int>(room)));
}

}  // namespace

void draw_laps(QPainter& painter, const QRectF& plot, const std::vector<ChartLap>& laps,
               const std::function<double(double at)>& x_of, bool with_text) {
  std::vector<Flag> flags;
  QFont font = Theme::current().font(FontRole::caption);
  font.setWeight(QFont::DemiBold);
  painter.setFont(font);
  for (const ChartLap& lap : laps) {
    const double x = std::round(x_of(lap.at));
    if (x < plot.left() || x > plot.right()) continue;
    painter.setPen(stroke_pen(Stroke::dash, 1, ink(Colour::text)));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    if (!flags.empty() && x - flags.back().x < units(kCrowdedUnits)) {
      flags.back().last = lap.number;
      flags.back().text += QStringLiteral(" · ") + lap.text;
    } else {
      flags.push_back({x, lap.number, lap.number, lap.text});
    }
  }
  for (const Flag& flag : flags) draw_flag(painter, plot, flag, with_text);
}

}  // namespace pitwall::ui
