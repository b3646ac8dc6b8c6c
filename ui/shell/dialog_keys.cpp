// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/dialog_keys.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

namespace pitwall::ui {

DialogKeys::DialogKeys(QWidget* window) : QObject(window) {
  qApp->installEventFilter(this);
}

bool DialogKeys::eventFilter(QObject*, QEvent* event) {
  return event->type() == QEvent::Shortcut && QApplication::activeModalWidget() != nullptr &&
         QApplication::activeWindow() == parent();
}

}  // namespace pitwall::ui
