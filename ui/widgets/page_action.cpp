// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/page_action.h"

#include <QAction>
#include <QWidget>
#include <utility>

namespace pitwall::ui {

QAction* add_page_action(QWidget* page, const QString& id, const QString& text, QList<QKeySequence> keys,
                         std::function<void()> triggered) {
  auto* action = new QAction(text, page);
  action->setObjectName(id);
  keys.removeAll(QKeySequence());
  action->setShortcuts(keys);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  page->addAction(action);
  QObject::connect(action, &QAction::triggered, page, std::move(triggered));
  return action;
}

void follow_key(QWidget* widget, const QAction* action, const QString& tip) {
  const auto show = [widget, action, tip] {
    const QString key = action->shortcut().toString(QKeySequence::NativeText);
    widget->setToolTip(key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, key));
  };
  show();
  QObject::connect(action, &QAction::changed, widget, show);
}

}  // namespace pitwall::ui
