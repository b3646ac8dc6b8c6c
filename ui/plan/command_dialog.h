// SPDX-License-Identifier: GPL-3.0-or-later
// "Read a command line…": how another engine is run, what each flag means here, and in bytes.
#pragma once
#include <QDialog>
#include <optional>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_memory.h"

class QComboBox;
class QPlainTextEdit;
class QPushButton;

namespace pitwall::ui {

class DataTable;
class Label;

class CommandDialog : public QDialog {
  Q_OBJECT

 public:
  /// `now`: what the command leaves unsaid; `terms`: what shares are taken of, where a plan is there.
  CommandDialog(const Deployment& now, const std::optional<MemoryTerms>& terms, QWidget* parent = nullptr);
  const std::optional<Deployment>& deployment() const { return read_; }  ///< none while nothing is understood

 private:
  void read();
  Deployment now_;
  std::optional<MemoryTerms> terms_;
  std::optional<Deployment> read_;
  QComboBox* engine_;
  QPlainTextEdit* text_;
  Label* said_;
  DataTable* flags_;
  QPushButton* fill_;
};

}  // namespace pitwall::ui
