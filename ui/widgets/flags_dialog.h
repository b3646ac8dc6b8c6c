// SPDX-License-Identifier: GPL-3.0-or-later
// FlagsDialog: the same settings as one or another engine is told them: a choice or two, the text to copy,
// and under it what has to be said of it.
#pragma once
#include <QDialog>
#include <QStringList>
#include <functional>
#include <vector>

#include "engine/base/result.h"

class QComboBox;
class QPlainTextEdit;
class QPushButton;

namespace pitwall::ui {

class Label;

struct FlagsText {
  QString text;  ///< to paste or to write to a file
  QStringList notes;
};

struct FlagsChoice {
  QString id, name;                                ///< id: last part of the box's object name
  std::vector<std::pair<QString, QString>> items;  ///< what is shown, and what `write` gets
  QString first;                                   ///< of the latter, chosen at first; empty = the first
};

class FlagsDialog : public QDialog {
  Q_OBJECT

 public:
  /// What was chosen, by the order of the choices. An error stands where the notes would.
  using Write = std::function<Result<FlagsText>(const QStringList& chosen)>;

  /// `id`: first part of all object names, "plan.flags".
  FlagsDialog(const QString& id, const QString& title, const std::vector<FlagsChoice>& choices, Write write,
              QWidget* parent = nullptr);

 private:
  void show_flags();
  Write write_;
  std::vector<QComboBox*> boxes_;
  QPlainTextEdit* text_;
  Label* notes_;
  QPushButton* copy_;
};

}  // namespace pitwall::ui
