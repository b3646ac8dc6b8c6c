// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of all actions, and the place to change them.
#pragma once
#include "ui/widgets/card.h"

class QLineEdit;
class QPushButton;

namespace pitwall::ui {

class ActionRegistry;
class DataTable;
class KeyField;
struct RegisteredAction;

class ShortcutCard : public Card {
  Q_OBJECT

 public:
  explicit ShortcutCard(ActionRegistry& registry, QWidget* parent = nullptr);

 private:
  void build();
  void show_actions();
  void show_chosen();
  void take(const QKeySequence& key);
  void show_conflict(const RegisteredAction* holder);
  QString chosen() const;  ///< id; empty where none is
  ActionRegistry& registry_;
  QKeySequence wanted_;  ///< waits for an answer to the conflict
  QLineEdit* search_;
  DataTable* table_;
  KeyField* field_;
  QPushButton *none_, *reset_, *reset_all_, *take_, *leave_;
  Label *name_, *conflict_;
};

}  // namespace pitwall::ui
