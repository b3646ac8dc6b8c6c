// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/scroll_page.h"

#include <QCoreApplication>

namespace pitwall::ui {

ScrollPage::ScrollPage(const QString& accessible_name, QWidget* parent) : QScrollArea(parent) {
  setProperty("bare", true);
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setAccessibleName(accessible_name);
  setFocusPolicy(Qt::StrongFocus);
}

/// What grew while nobody saw it has its height before it is painted: a hidden widget tells nobody of it, and
/// its cards would be drawn over each other.
void ScrollPage::showEvent(QShowEvent* event) {
  QScrollArea::showEvent(event);
  QEvent request(QEvent::LayoutRequest);
  QCoreApplication::sendEvent(this, &request);
}

}  // namespace pitwall::ui
