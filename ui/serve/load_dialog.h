// SPDX-License-Identifier: GPL-3.0-or-later
// Asks which workload to send to the serving engine, how much of it and how fast.
#pragma once
#include <QDialog>

#include "ui/serve/load_runner.h"

class QComboBox;
class QPushButton;

namespace pitwall::ui {

class Label;
class NumberField;

class LoadDialog : public QDialog {
  Q_OBJECT

 public:
  /// Starts from `last`, and with as many at once as the engine runs; `on_cpu`: with few requests.
  LoadDialog(const LoadWish& last, int max_num_seqs, bool on_cpu, QWidget* parent = nullptr);
  LoadWish wish() const;

 private:
  void show_workload();
  LoadWish last_;
  QComboBox* workload_;
  NumberField *requests_, *at_once_, *rate_;
  Label* source_;
};

}  // namespace pitwall::ui
