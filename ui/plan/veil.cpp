// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/veil.h"

#include <QEvent>
#include <QPainter>

#include "ui/shell/theme.h"

namespace pitwall::ui {

namespace {

constexpr double kOpacity = 0.55;

}  // namespace

Veil::Veil(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("plan.veil"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  parent->installEventFilter(this);
  hide();
}

bool Veil::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
  return QWidget::eventFilter(watched, event);
}

void Veil::showEvent(QShowEvent*) {
  setGeometry(parentWidget()->rect());
  raise();
}

void Veil::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setOpacity(kOpacity);
  painter.fillRect(rect(), ink(Colour::window));
}

}  // namespace pitwall::ui
