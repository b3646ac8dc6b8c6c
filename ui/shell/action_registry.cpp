// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/action_registry.h"

#include <QRegularExpression>
#include <QWidgetAction>
#include <algorithm>

#include "ui/shell/page.h"
#include "ui/shell/preferences.h"

namespace pitwall::ui {

ActionRegistry::ActionRegistry(Preferences& preferences, QObject* parent)
    : QObject(parent), preferences_(preferences) {}

void ActionRegistry::add(QAction* action) {
  add(action, {}, tr("everywhere"));
}

void ActionRegistry::add_page(Page& page) {
  static const QRegularExpression an_id(QStringLiteral("^[a-z]+\\."));
  for (QAction* action : page.findChildren<QAction*>(an_id)) {
    const bool said = std::any_of(actions_.begin(), actions_.end(), [&](const RegisteredAction& known) {
      return known.page == page.id() && known.action->text() == action->text();
    });
    if (!said && qobject_cast<QWidgetAction*>(action) == nullptr) add(action, page.id(), page.title());
  }
}

void ActionRegistry::add(QAction* action, const QString& page, const QString& where) {
  actions_.push_back({action, page, where, action->shortcuts()});
  if (const auto key = preferences_.shortcut(action->objectName())) action->setShortcut(*key);
  Q_EMIT changed();
}

const RegisteredAction* ActionRegistry::find(const QString& id) const {
  const auto found = std::find_if(actions_.begin(), actions_.end(),
                                  [&](const RegisteredAction& one) { return one.id() == id; });
  return found == actions_.end() ? nullptr : &*found;
}

bool ActionRegistry::is_changed(const QString& id) const {
  return preferences_.shortcut(id).has_value();
}

const RegisteredAction* ActionRegistry::holder(const QKeySequence& key, const QString& id) const {
  const RegisteredAction* asking = find(id);
  if (asking == nullptr || key.isEmpty()) return nullptr;
  for (const RegisteredAction& other : actions_) {
    const bool together = other.page.isEmpty() || asking->page.isEmpty() || other.page == asking->page;
    if (&other != asking && together && other.action->shortcuts().contains(key)) return &other;
  }
  return nullptr;
}

void ActionRegistry::set_key(const QString& id, const QKeySequence& key) {
  const RegisteredAction* one = find(id);
  if (one == nullptr) return;
  preferences_.set_shortcut(id, key);
  one->action->setShortcut(key);
  Q_EMIT changed();
}

void ActionRegistry::take_key(const QString& id, const QKeySequence& key) {
  while (const RegisteredAction* other = holder(key, id)) set_key(other->id(), {});
  set_key(id, key);
}

void ActionRegistry::reset(const QString& id) {
  const RegisteredAction* one = find(id);
  if (one == nullptr) return;
  preferences_.set_shortcut(id, std::nullopt);
  one->action->setShortcuts(one->usual);
  Q_EMIT changed();
}

void ActionRegistry::reset_all() {
  for (const RegisteredAction& one : actions_)
    if (is_changed(one.id())) {
      preferences_.set_shortcut(one.id(), std::nullopt);
      one.action->setShortcuts(one.usual);
    }
  Q_EMIT changed();
}

QString keys_text(const QAction& action) {
  return QKeySequence::listToString(action.shortcuts(), QKeySequence::NativeText)
      .replace(QStringLiteral("; "), QStringLiteral(", "));
}

}  // namespace pitwall::ui
