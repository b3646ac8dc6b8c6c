// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: type a few letters of any action, page or setting; Enter does it.
#pragma once
#include <QAction>
#include <QDialog>
#include <vector>

class QLineEdit;

namespace pitwall::ui {

class DataTable;

struct Command {
  QAction* action = nullptr;
  QString where;  ///< title of its page, or "everywhere"
  QString page;   ///< id of the page to show first; empty = any
};

class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  CommandPalette(std::vector<Command> commands, QWidget* parent);
  const Command* chosen() const;  ///< after exec() was accepted

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  ///< arrows in the field move the choice

 private:
  void filter(const QString& text);
  std::vector<Command> commands_;
  QLineEdit* field_;
  DataTable* table_;
};

}  // namespace pitwall::ui
