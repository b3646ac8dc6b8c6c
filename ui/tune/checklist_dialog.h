// SPDX-License-Identifier: GPL-3.0-or-later
// "New from template…": which template, and on what it is measured.
#pragma once
#include <QDialog>

#include "engine/telemetry/checklist.h"

class QComboBox;
class QLineEdit;

namespace pitwall::ui {

class FormGrid;
class Label;
class NumberField;

class ChecklistDialog : public QDialog {
  Q_OBJECT

 public:
  /// `origin`: of the template that is chosen first; `model`: what the window serves, may be empty.
  ChecklistDialog(const std::string& origin, const QString& model, QWidget* parent = nullptr);
  const Checklist& checklist() const { return checklist_; }  ///< after Accepted

 private:
  void follow_template();
  void follow_target();
  void accept_if_sound();
  Checklist described() const;

  QString model_of_window_;
  Checklist checklist_;
  FormGrid* form_;
  QComboBox *template_, *target_, *gpu_, *workload_;
  QLineEdit *name_, *model_;
  NumberField *gpus_, *requests_, *repeats_;
  Label *source_, *trouble_;
};

}  // namespace pitwall::ui
