// SPDX-License-Identifier: GPL-3.0-or-later
// "New checklist…": which template, and on what it is measured; the same of one that exists.
#pragma once
#include <QDialog>

#include "engine/base/result.h"
#include "engine/telemetry/checklist.h"

class QComboBox;
class QLineEdit;
class QPushButton;

namespace pitwall::ui {

class FormGrid;
class Label;
class NumberField;

inline constexpr const char* kNoTemplate = "none";  ///< origin of an empty checklist

class ChecklistDialog : public QDialog {
  Q_OBJECT

 public:
  /// `origin`: of the template that is chosen first, or kNoTemplate; `model`: what the window serves, may be
  /// empty.
  ChecklistDialog(const std::string& origin, const QString& model, QWidget* parent = nullptr);
  /// Edits `existing`: all but its items, of which those go that the target cannot measure.
  ChecklistDialog(const Checklist& existing, const QString& model, QWidget* parent = nullptr);
  const Checklist& checklist() const { return checklist_; }  ///< after Accepted

 private:
  void build();
  void fill();
  void follow_template();
  void follow_target();
  void open_model();
  void clear_trouble();
  void show_trouble(const Error& error);
  void accept_if_sound();
  Checklist described() const;

  QString model_of_window_;
  Checklist checklist_;
  FormGrid* form_;
  QComboBox* template_ = nullptr;  ///< none: one that exists is edited
  QComboBox *target_, *gpu_, *workload_;
  QLineEdit *name_, *model_;
  QPushButton* open_;
  NumberField *gpus_, *requests_, *repeats_;
  Label *source_, *trouble_;
};

}  // namespace pitwall::ui
