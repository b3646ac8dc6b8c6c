// SPDX-License-Identifier: GPL-3.0-or-later
// The left panel: search, kind, the table of runs, and the runs marked for a comparison. Space marks, Enter
// goes to the run, Del deletes it.
#pragma once
#include <set>
#include <vector>

#include "engine/store/store.h"
#include "ui/widgets/card.h"
#include "ui/widgets/data_table.h"

class QComboBox;
class QLineEdit;
class QPushButton;

namespace pitwall::ui {

class RunList : public Card {
  Q_OBJECT

 public:
  explicit RunList(QWidget* parent = nullptr);
  void set_runs(std::vector<RunListItem> runs, RunId interrupted);  ///< that cannot be written at present
  DataTable* table() const { return table_; }
  void focus_search();
  void set_exportable(bool on);  ///< something is shown that can be exported
  bool shows(RunId run) const;   ///< search and kind let it through
  /// Marked runs and, where that is one or none, the current one; oldest first.
  std::vector<RunId> compared() const;
  void mark(qint64 run, bool marked);
  void clear_marks();

 Q_SIGNALS:
  void chosen(qint64 run);
  void marks_changed();
  void rows_changed();   ///< other runs are shown
  void marks_refused();  ///< as many are marked as can be compared
  void compare_requested();
  void import_requested();
  void export_requested();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Shown {
    RunListItem run;
    QString search;
    TableRow row;
  };
  QHBoxLayout* make_buttons();
  void show_rows();
  void show_marks();
  QString nothing_found() const;
  void toggle_current();
  std::vector<Shown> runs_;
  std::set<qint64> marks_;
  QLineEdit* search_;
  QComboBox* kind_;
  DataTable* table_;
  Label* marked_;
  QPushButton *compare_, *export_;
};

}  // namespace pitwall::ui
