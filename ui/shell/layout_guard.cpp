// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/layout_guard.h"

#include <QCoreApplication>
#include <QEvent>

namespace pitwall::ui {

namespace {

constexpr int kMostRounds = 10;  // as deep as layouts lie in each other; two that never agree end here

}  // namespace

LayoutGuard::LayoutGuard(QObject* parent) : QObject(parent) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool LayoutGuard::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (type == QEvent::LayoutRequest) {
    followed_ = true;
    return false;
  }
  const bool paints = watched->isWindowType() ? type == QEvent::Expose || type == QEvent::Paint
                                              : type == QEvent::UpdateRequest;
  // What follows may ask its surroundings to follow: a legend that finds no room beside its title makes its
  // card taller, and with it the page.
  for (int round = 0; paints && round < kMostRounds; ++round) {
    followed_ = false;
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    if (!followed_) break;
  }
  return false;
}

}  // namespace pitwall::ui
