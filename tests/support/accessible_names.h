// SPDX-License-Identifier: GPL-3.0-or-later
// Which widgets below one can take the focus and have no accessible name. Header only: it needs Qt Widgets,
// which most tests do not link.
#pragma once
#include <QAbstractScrollArea>
#include <QAccessible>
#include <QString>
#include <QWidget>

namespace pitwall::test {

/// "class name in parent" of the first one; empty when all have names. A label's text is its name.
inline QString nameless_focusable_widget(const QWidget& root) {
  for (QWidget* widget : root.findChildren<QWidget*>()) {
    if (widget->focusPolicy() == Qt::NoFocus || widget->inherits("QScrollBar")) continue;
    if (widget->window() != root.window()) continue;  // a box's list, once it has been opened
    const auto* area = qobject_cast<const QAbstractScrollArea*>(widget->parentWidget());
    if ((area && area->viewport() == widget) || widget->objectName().startsWith(QLatin1String("qt_")))
      continue;
    const QAccessibleInterface* access = QAccessible::queryAccessibleInterface(widget);
    if (access->text(QAccessible::Name).isEmpty() && !widget->inherits("QLabel")) {
      return QStringLiteral("%1 %2 in %3")
          .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
               QLatin1String(widget->parentWidget()->metaObject()->className()));
    }
  }
  return {};
}

}  // namespace pitwall::test
