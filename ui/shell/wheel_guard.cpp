// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QSlider>
#include <QTabBar>

namespace pitwall::ui {

void WheelGuard::watch(QWidget& widget) {
  if (!qobject_cast<QComboBox*>(&widget) && !qobject_cast<QAbstractSpinBox*>(&widget) &&
      !qobject_cast<QSlider*>(&widget) && !qobject_cast<QTabBar*>(&widget))
    return;
  if (widget.focusPolicy() == Qt::WheelFocus) widget.setFocusPolicy(Qt::StrongFocus);
  widget.installEventFilter(this);
}

bool WheelGuard::eventFilter(QObject* object, QEvent* event) {
  if (event->type() != QEvent::Wheel || static_cast<QWidget*>(object)->hasFocus()) return false;
  event->ignore();  // what it stands in scrolls
  return true;
}

}  // namespace pitwall::ui
