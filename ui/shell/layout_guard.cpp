// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/layout_guard.h"

#include <QCoreApplication>
#include <QEvent>

namespace pitwall::ui {

LayoutGuard::LayoutGuard(QObject* parent) : QObject(parent) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool LayoutGuard::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  const bool paints = watched->isWindowType() ? type == QEvent::Expose || type == QEvent::Paint
                                              : type == QEvent::UpdateRequest;
  if (paints) QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  return false;
}

}  // namespace pitwall::ui
