// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window by its id, with the keys that are in force: the usual ones or the user's.
#pragma once
#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <vector>

namespace pitwall::ui {

class Page;
class Preferences;

struct RegisteredAction {
  QAction* action = nullptr;  ///< its object name is its id: "plan.pin"
  QString page;               ///< id of the page it belongs to; empty: works everywhere
  QString where;              ///< that page's title, or "everywhere"
  QList<QKeySequence> usual;
  QString id() const { return action->objectName(); }
};

/// UI thread only. Keys of the user are kept in the preferences. The actions outlive it.
class ActionRegistry : public QObject {
  Q_OBJECT

 public:
  explicit ActionRegistry(Preferences& preferences, QObject* parent = nullptr);  ///< outlive it
  void add(QAction* action);  ///< one that works everywhere
  void add_page(Page& page);  ///< those below it with an id; of two that say the same the first
  const std::vector<RegisteredAction>& actions() const { return actions_; }
  const RegisteredAction* find(const QString& id) const;

  bool is_changed(const QString& id) const;
  /// The action that has this key and could be meant by it at the same time; null = the key is free.
  const RegisteredAction* holder(const QKeySequence& key, const QString& id) const;
  void set_key(const QString& id, const QKeySequence& key);  ///< an empty one: none
  /// The key goes to `id`, and whoever has it now loses it.
  void take_key(const QString& id, const QKeySequence& key);
  void reset(const QString& id);
  void reset_all();

 Q_SIGNALS:
  void changed();

 private:
  void add(QAction* action, const QString& page, const QString& where);
  Preferences& preferences_;
  std::vector<RegisteredAction> actions_;
};

/// All keys of an action as text: "Ctrl+Return, Ctrl+Enter".
QString keys_text(const QAction& action);

}  // namespace pitwall::ui
