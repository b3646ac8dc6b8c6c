// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tune/effect_bars.h"

#include <QPainter>
#include <algorithm>

#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QFont face(bool strong) {
  QFont font = Theme::current().font(FontRole::small);
  if (strong) font.setWeight(QFont::DemiBold);
  return font;
}

}  // namespace

EffectBars::EffectBars(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&Theme::current(), &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

void EffectBars::set_bars(std::vector<EffectBar> bars) {
  bars_ = std::move(bars);
  QStringList words;
  for (const EffectBar& bar : bars_)
    words << QStringLiteral("%1: %2 → %3, %4").arg(bar.title, bar.before_text, bar.after_text, bar.effect);
  setAccessibleName(tr("Before and after"));
  setAccessibleDescription(words.join(QStringLiteral("; ")));
  updateGeometry();
  update();
}

int EffectBars::row_height() const {
  return 2 * QFontMetrics(face(false)).height() + units(1.5);
}

QSize EffectBars::sizeHint() const {
  return {units(80), static_cast<int>(bars_.size()) * row_height()};
}

void EffectBars::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QFontMetrics plain(face(false)), strong(face(true));
  int titles = 0, effects = 0, figures = 0;
  for (const EffectBar& bar : bars_) {
    titles = std::max(titles, plain.horizontalAdvance(bar.title) + 1);  // cut exactly, it would be elided
    effects = std::max(effects, plain.horizontalAdvance(bar.effect));
    figures = std::max(
        {figures, plain.horizontalAdvance(bar.before_text), strong.horizontalAdvance(bar.after_text)});
  }
  titles = std::min(titles, width() * 3 / 10);
  const int left = titles + units(3), right = width() - effects - units(2);
  const double room = std::max(right - left - figures - units(2), units(4));
  for (std::size_t i = 0; i < bars_.size(); ++i) {
    const EffectBar& bar = bars_[i];
    const int top = static_cast<int>(i) * row_height(), height = row_height(), line = plain.height();
    if (i > 0) painter.fillRect(QRect(0, top, width(), 1), ink(Colour::grid));
    painter.setFont(face(false));
    painter.setPen(ink(Colour::text));
    painter.drawText(QRect(0, top, titles, height), Qt::AlignLeft | Qt::AlignVCenter,
                     plain.elidedText(bar.title, Qt::ElideRight, titles));
    painter.setPen(ink(bar.colour));
    painter.drawText(QRect(right, top, width() - right, height), Qt::AlignRight | Qt::AlignVCenter,
                     bar.effect);
    const double most = std::max({bar.before, bar.after, 1e-12}), thick = units(2);
    const auto draw = [&](double value, const QString& text, int y, bool after) {
      const QRectF box(left, y + (line - thick) / 2, std::max(room * value / most, 1.0), thick);
      painter.setPen(after ? Qt::NoPen : QPen(ink(Colour::strong), 1));
      painter.setBrush(after ? QBrush(ink(Colour::accent)) : Qt::NoBrush);
      painter.drawRect(box);
      painter.setFont(face(after));
      painter.setPen(ink(after ? Colour::text : Colour::muted));
      painter.drawText(QRectF(box.right() + units(1), y, figures + units(1), line),
                       Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    draw(bar.before, bar.before_text, top + units(0.75), false);
    draw(bar.after, bar.after_text, top + units(0.75) + line, true);
  }
}

}  // namespace pitwall::ui
