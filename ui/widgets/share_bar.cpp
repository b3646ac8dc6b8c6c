// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/share_bar.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kBarUnits = 5;

}  // namespace

ShareBar::ShareBar(const QString& accessible_name, QWidget* parent) : QWidget(parent) {
  setAccessibleName(accessible_name);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ShareBar::set_shares(std::vector<Share> shares) {
  if (shares == shares_) return;
  const bool resized = shares.size() != shares_.size();
  shares_ = std::move(shares);
  const double whole = total();
  QStringList words;
  for (const Share& share : shares_)
    if (share.value > 0) words << share.name + QLatin1Char(' ') + percent_text(share.value / whole);
  setAccessibleDescription(listed(words));
  if (resized) updateGeometry();
  update();
}

double ShareBar::total() const {
  double sum = 0;
  for (const Share& share : shares_) sum += share.value;
  return sum;
}

int ShareBar::row_height() const {
  return units(4.75);
}

QSize ShareBar::sizeHint() const {
  return {units(60), units(kBarUnits + 1) + row_height() * static_cast<int>(shares_.size())};
}
QSize ShareBar::minimumSizeHint() const {
  return {units(30), sizeHint().height()};
}

void ShareBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const double whole = total();
  const QRectF bar(0, 0, width(), units(kBarUnits));
  painter.fillRect(bar, ink(Colour::alt));
  QFont strong = Theme::current().font(FontRole::small);
  strong.setWeight(QFont::DemiBold);
  double left = 0;
  int top = units(kBarUnits + 1);
  for (const Share& share : shares_) {
    const MemoryPart look{share.name, share.colour, share.pattern, 1};
    if (share.value > 0) {
      const double right = left + share.value / whole * bar.width();
      const QRectF part(std::round(left), 0, std::max(1.0, std::round(right) - std::round(left)),
                        bar.height());
      fill_part(painter, part, look);
      painter.setFont(strong);
      const QString label = share.name + QLatin1Char(' ') + percent_text(share.value / whole);
      const double wide = painter.fontMetrics().horizontalAdvance(label) + units(2);
      if (wide < part.width()) {
        const QRectF words(part.center().x() - wide / 2, part.top() + units(0.75), wide,
                           part.height() - units(1.5));
        painter.fillRect(words, ink(share.colour));
        painter.setPen(ink_on(share.colour));
        painter.drawText(words, Qt::AlignCenter, label);
      }
      left = right;
    }
    const QRect row(0, top, width(), row_height());
    const double swatch = units(2.75);
    fill_part(painter, QRectF(0, row.top() + std::floor((row.height() - swatch) / 2), swatch, swatch), look);
    painter.setFont(Theme::current().font(FontRole::small));
    painter.setPen(ink(share.value > 0 ? Colour::text : Colour::muted));
    painter.drawText(row.adjusted(units(4), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, share.name);
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter,
                     whole > 0 ? percent_text(share.value / whole) : no_value());
    top += row_height();
  }
  painter.setPen(ink(Colour::border));
  painter.drawRect(bar.adjusted(0, 0, -1, -1));
}

}  // namespace pitwall::ui
