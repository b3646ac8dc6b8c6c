// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/page_action.h"

#include <QAction>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace pitwall::ui {

namespace {

/// Keys with Ctrl or Alt and function keys mean the page that is shown wherever the focus is. A
/// bare one is for the page alone: in the frame, Space and Enter are for the button that they are on.
bool is_bare(const QKeySequence& key) {
  const QKeyCombination first = key[0];
  const bool function_key = first.key() >= Qt::Key_F1 && first.key() <= Qt::Key_F35;
  return !function_key && !(first.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier));
}

void set_reach(QAction* action) {
  const auto keys = action->shortcuts();
  const bool bare = std::any_of(keys.begin(), keys.end(), is_bare);
  action->setShortcutContext(bare ? Qt::WidgetWithChildrenShortcut : Qt::WindowShortcut);
}

}  // namespace

QAction* add_page_action(QWidget* page, const QString& id, const QString& text, QList<QKeySequence> keys,
                         std::function<void()> triggered) {
  auto* action = new QAction(text, page);
  action->setObjectName(id);
  keys.removeAll(QKeySequence());
  action->setShortcuts(keys);
  set_reach(action);
  QObject::connect(action, &QAction::changed, action, [action] { set_reach(action); });
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
