// SPDX-License-Identifier: GPL-3.0-or-later
// "Read a command line…": how another engine is run, what each flag means here, and in bytes.
#pragma once
#include <QDialog>
#include <functional>
#include <optional>

#include "engine/plan/deployment_plan.h"
#include "engine/plan/engine_memory.h"
#include "engine/plan/flag_reader.h"

class QComboBox;
class QPlainTextEdit;
class QPushButton;

namespace pitwall::ui {

class DataTable;
class Label;

class CommandDialog : public QDialog {
  Q_OBJECT

 public:
  /// What shares of memory are taken of; none while the model's header is being read, or where it is not
  /// here.
  using TermsOf = std::function<std::optional<MemoryTerms>(const EngineReading& reading)>;

  /// `now`: what the command leaves unsaid.
  CommandDialog(const Deployment& now, TermsOf terms_of, QWidget* parent = nullptr);
  const std::optional<Deployment>& deployment() const { return read_; }  ///< none while nothing is understood

  void read();  ///< once more: what is known of the model may have changed

 private:
  Deployment now_;
  TermsOf terms_of_;
  std::optional<Deployment> read_;
  QComboBox* engine_;
  QPlainTextEdit* text_;
  Label* said_;
  DataTable* flags_;
  QPushButton* fill_;
};

}  // namespace pitwall::ui
