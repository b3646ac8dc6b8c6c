// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with how a page is laid out while it is painted: cards over each other, buttons that are cut.
#pragma once
#include <QAbstractButton>
#include <QApplication>
#include <QEvent>

#include <QStringList>
#include <QWindow>

#include "ui/widgets/card.h"

namespace pitwall::test {

/// Looks at each paint of a card or a button inside `window`. And lets the desktop ask for one after each
/// piece of news from other threads, before the layouts have followed: what happens on a busy machine.
class OverlapWatch : public QObject {
 public:
  explicit OverlapWatch(QWidget& window) : window_(window) { qApp->installEventFilter(this); }
  int paints = 0;  ///< of cards
  QStringList faults;

  /// As a desktop does when something has covered the window.
  void expose() {
    QExposeEvent asked(window_.rect());
    QCoreApplication::sendEvent(window_.windowHandle(), &asked);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::MetaCall && watched->isWidgetType())
      QCoreApplication::postEvent(this, new QEvent(QEvent::User), Qt::HighEventPriority);
    if (event->type() != QEvent::Paint) return false;
    if (const auto* button = qobject_cast<QAbstractButton*>(watched); button && window_.isAncestorOf(button))
      look_at(*button);
    if (const auto* card = qobject_cast<ui::Card*>(watched); card && window_.isAncestorOf(card)) {
      ++paints;
      look_at_cards();
    }
    return false;
  }
  bool event(QEvent* event) override {
    if (event->type() == QEvent::User) expose();
    return QObject::event(event);
  }

 private:
  void look_at_cards() {
    const auto cards = window_.findChildren<ui::Card*>();
    for (const ui::Card* one : cards)
      for (const ui::Card* other : cards)
        if (one < other && one->parent() == other->parent() && one->isVisible() && other->isVisible() &&
            one->geometry().intersects(other->geometry()))
          add(one->objectName() + QStringLiteral(" and ") + other->objectName());
  }
  void look_at(const QAbstractButton& button) {
    const int least = button.minimumSizeHint().width();
    if (!button.text().isEmpty() && button.width() < least)
      add(QStringLiteral("“%1” has %2 of %3 px").arg(button.text()).arg(button.width()).arg(least));
  }
  void add(const QString& fault) {
    if (!faults.contains(fault)) faults << fault;
  }
  QWidget& window_;
};

}  // namespace pitwall::test
