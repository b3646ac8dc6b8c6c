// SPDX-License-Identifier: GPL-3.0-or-later
// The left panel: search, kind, and the table of runs. Enter goes to the run, Del deletes it.
#pragma once
#include <vector>

#include "engine/store/store.h"
#include "ui/widgets/card.h"

class QComboBox;
class QLineEdit;

namespace pitwall::ui {

class DataTable;

class RunList : public Card {
  Q_OBJECT

 public:
  explicit RunList(QWidget* parent = nullptr);
  void set_runs(std::vector<RunListItem> runs);
  DataTable* table() const { return table_; }
  void focus_search();

 Q_SIGNALS:
  void chosen(qint64 run);

 private:
  void show_rows();
  std::vector<RunListItem> runs_;
  QLineEdit* search_;
  QComboBox* kind_;
  DataTable* table_;
};

}  // namespace pitwall::ui
