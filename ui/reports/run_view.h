// SPDX-License-Identifier: GPL-3.0-or-later
// RunView: one run on a page: verdict, percentiles, charts over time, distribution, memory, settings,
// conditions, files, requests.
#pragma once
#include <QStackedWidget>
#include <memory>
#include <vector>

#include "engine/store/store.h"
#include "ui/reports/planned_card.h"
#include "ui/reports/run_export.h"
#include "ui/widgets/line_chart.h"

class QGridLayout;
class QLineEdit;
class QPushButton;

namespace pitwall::ui {

class RunsCdfChart;
class DataTable;

class RunView : public QStackedWidget {
  Q_OBJECT

 public:
  explicit RunView(QWidget* parent = nullptr);
  /// Kept until the next one. Its requests, plan and files come apart. `interrupted`: it cannot be written at
  /// present.
  void show_run(std::shared_ptr<const RunPicture> picture, const QString& serve_command, bool interrupted);
  void add_requests(const std::vector<RequestRecord>& worst, bool first);  ///< the next ones of the table
  void show_planned(const Result<PlannedBytes>& planned);
  void show_files(const std::vector<ExportedFile>& files, const QString& why_none);
  /// In place of a run; buttons only with verbs.
  void show_message(const QString& text, const QString& verb, const QString& second_verb = {});
  void set_loading(bool loading);  ///< the last run stays, muted
  void edit_note();
  /// A note that could not be kept, in place of the run's own.
  void show_note(const QString& note, const QString& why_not);
  /// The answer to note_changed(); empty: it is kept. Else it stays in its field and can be sent again.
  void mark_note(const QString& note, const QString& why_not);
  /// The list of runs leaves out the one that is shown.
  void set_listed(bool listed);
  const std::vector<LineChart*>& charts() const { return charts_; }

 Q_SIGNALS:
  void note_changed(const QString& note);
  void verb_chosen();
  void second_verb_chosen();
  void requests_wanted(qint64 skip);  ///< the table is at its end and the run has more

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_charts();
  void arrange(int columns);
  Card* make_verdict();
  Card* make_table_card(const QString& title, const QString& unit, DataTable* table, const char* id);
  LineChart* add_chart(const LineChart::Spec& spec);
  QWidget* make_message();
  void make_tables();
  void show_charts(const Run& run);
  void show_request_count();

  std::shared_ptr<const RunPicture> picture_;
  QWidget* page_;
  Card* verdict_card_;
  Label *headline_, *detail_, *message_;
  ElidedLabel* command_;
  Tag *tag_, *origin_, *unlisted_;
  QLineEdit* note_;
  QWidget* command_row_;
  QPushButton *verb_, *second_verb_;
  DataTable *percentiles_, *config_, *environment_, *requests_, *files_;
  Card *config_card_, *environment_card_, *requests_card_, *files_card_;
  Label *files_note_, *note_trouble_;
  PlannedCard* planned_;
  RunsCdfChart* cdf_;
  std::vector<LineChart*> charts_;  // over time
  LineChart *itl_, *ttft_, *tpot_, *throughput_, *memory_;
  QGridLayout *chart_grid_, *table_grid_;
  int columns_ = 0;  // of both
  QString sent_note_, kept_note_;
};

}  // namespace pitwall::ui
