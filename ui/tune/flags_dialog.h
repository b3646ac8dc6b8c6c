// SPDX-License-Identifier: GPL-3.0-or-later
// "Flags for other engines…": what a checklist recommends, as each engine is told it.
#pragma once
#include <QDialog>

#include "engine/telemetry/checklist.h"

class QComboBox;
class QPlainTextEdit;

namespace pitwall::ui {

class Label;

class RecommendedFlagsDialog : public QDialog {
  Q_OBJECT

 public:
  explicit RecommendedFlagsDialog(const Checklist& checklist, QWidget* parent = nullptr);

 private:
  void show_flags();
  const Checklist& checklist_;
  QComboBox* form_;
  QPlainTextEdit* text_;
  Label* notes_;
};

}  // namespace pitwall::ui
