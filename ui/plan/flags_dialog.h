// SPDX-License-Identifier: GPL-3.0-or-later
// "Flags for other engines…": the same deployment as another engine is told it, with the same bytes.
#pragma once
#include <QDialog>

#include "engine/plan/deployment_plan.h"

class QComboBox;
class QPlainTextEdit;
class QPushButton;

namespace pitwall::ui {

class Label;

class FlagsDialog : public QDialog {
  Q_OBJECT

 public:
  explicit FlagsDialog(const DeploymentPlan& plan, QWidget* parent = nullptr);

 private:
  void show_flags();
  const DeploymentPlan& plan_;
  QComboBox *engine_, *form_;
  QPlainTextEdit* text_;
  Label* notes_;
  QPushButton* copy_;
};

}  // namespace pitwall::ui
