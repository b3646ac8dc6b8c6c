// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/part_legend.h"

#include <QPainter>

namespace pitwall::ui {

PartLegend::PartLegend(std::vector<MemoryPart> parts, QWidget* parent)
    : QWidget(parent), parts_(std::move(parts)) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  connect(&Theme::current(), &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

QSize PartLegend::sizeHint() const {
  const QFontMetrics metrics(Theme::current().font(FontRole::small));
  int wide = 0;
  for (const MemoryPart& part : parts_) wide += units(3.5) + metrics.horizontalAdvance(part.name) + units(3);
  return {wide, metrics.height()};
}

QSize PartLegend::minimumSizeHint() const {
  return {0, sizeHint().height()};
}

void PartLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(Theme::current().font(FontRole::small));
  const QFontMetrics metrics = painter.fontMetrics();
  const double side = units(2.75), middle = height() / 2.0;
  double left = std::max(0, width() - sizeHint().width());
  for (const MemoryPart& part : parts_) {
    const double wide = units(3.5) + metrics.horizontalAdvance(part.name);
    if (left + wide > width()) return;
    fill_part(painter, QRectF(left, middle - side / 2, side, side), part);
    painter.setPen(ink(Colour::text));
    painter.drawText(QRectF(left + units(3.5), 0, wide, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     part.name);
    left += wide + units(3);
  }
}

}  // namespace pitwall::ui
