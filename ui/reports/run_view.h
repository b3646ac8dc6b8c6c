// SPDX-License-Identifier: GPL-3.0-or-later
// RunView: one run on a page: verdict, percentiles, charts over time, settings, conditions, requests. Draws a
// Run and keeps no copy of it.
#pragma once
#include <QStackedWidget>
#include <vector>

#include "engine/telemetry/run.h"
#include "ui/widgets/line_chart.h"

class QGridLayout;
class QLineEdit;
class QPushButton;

namespace pitwall::ui {

class DataTable;

class RunView : public QStackedWidget {
  Q_OBJECT

 public:
  explicit RunView(QWidget* parent = nullptr);
  void show_run(const Run& run, const QString& serve_command);
  void show_message(const QString& text,
                    const QString& verb);  ///< in place of a run; no button without a verb
  void set_loading(bool loading);          ///< the last run stays, muted
  void edit_note();
  const std::vector<LineChart*>& charts() const { return charts_; }

 Q_SIGNALS:
  void note_changed(const QString& note);
  void verb_chosen();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_charts();
  void arrange(int columns);
  Card* make_verdict();
  Card* make_table_card(const QString& title, const QString& unit, DataTable* table, const char* id);
  LineChart* add_chart(const LineChart::Spec& spec);
  void show_charts(const Run& run);

  QWidget* page_;
  Card* verdict_card_;
  Label *headline_, *detail_, *command_, *message_;
  Tag* tag_;
  QLineEdit* note_;
  QWidget* command_row_;
  QPushButton* verb_;
  DataTable *percentiles_, *config_, *environment_, *requests_;
  Card *config_card_, *environment_card_, *requests_card_;
  std::vector<LineChart*> charts_;
  LineChart *itl_, *ttft_, *tpot_, *throughput_, *memory_;
  QGridLayout *chart_grid_, *table_grid_;
  int columns_ = 0;  // of both
  QString shown_note_;
};

}  // namespace pitwall::ui
