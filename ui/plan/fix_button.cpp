// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/fix_button.h"

#include <QPainter>
#include <algorithm>

#include "ui/shell/theme.h"

namespace pitwall::ui {

namespace {

constexpr int kWrapped = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
constexpr int kAnyHeight = 1 << 16;

QFont plain_face() {
  return Theme::current().font(FontRole::small);
}

QFont strong_face() {
  QFont font = plain_face();
  font.setWeight(QFont::DemiBold);
  return font;
}

int text_height(const QString& text, const QFont& font, int width) {
  const QRect room(0, 0, std::max(1, width - units(2)), kAnyHeight);
  return QFontMetrics(font).boundingRect(room, kWrapped, text).height();
}

}  // namespace

FixButton::FixButton(QWidget* parent) : QAbstractButton(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_Hover);
  setCursor(Qt::PointingHandCursor);
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void FixButton::show_change(const QString& change, const QString& effect, bool enough) {
  effect_ = effect;
  enough_ = enough;
  setText(change);
  setAccessibleName(change);
  setAccessibleDescription(effect);
  updateGeometry();
  update();
}

QSize FixButton::sizeHint() const {
  return {units(52), heightForWidth(units(52))};
}

QSize FixButton::minimumSizeHint() const {
  return {units(30), units(8)};
}

int FixButton::heightForWidth(int width) const {
  return change_height(width) + text_height(effect_, plain_face(), width) + units(2);
}

int FixButton::change_height(int width) const {
  return text_height(text(), strong_face(), width);
}

void FixButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (underMouse() || isDown()) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink(isDown() ? Colour::selection : Colour::alt));
    painter.drawRoundedRect(rect(), units(1), units(1));
  }
  const QRect inside = rect().adjusted(units(1), units(1), -units(1), -units(1));
  painter.setFont(strong_face());
  painter.setPen(ink(enough_ ? Colour::accent : Colour::text));
  painter.drawText(inside, kWrapped, text());
  painter.setFont(plain_face());
  painter.setPen(ink(Colour::muted));
  painter.drawText(inside.adjusted(0, change_height(width()), 0, 0), kWrapped, effect_);
  if (!hasFocus()) return;
  painter.setPen(QPen(ink(Colour::accent), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), units(1), units(1));
}

}  // namespace pitwall::ui
