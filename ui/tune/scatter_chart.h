// SPDX-License-Identifier: GPL-3.0-or-later
// The card around the scatter: which latency, table, export.
#pragma once
#include "ui/tune/scatter_view.h"
#include "ui/widgets/chart_card.h"

class QComboBox;

namespace pitwall::ui {

class TuneSession;

class ScatterChart : public ChartCard {
  Q_OBJECT

 public:
  explicit ScatterChart(QWidget* parent = nullptr);
  void show_checklist(const TuneSession& session, int current_item);
  const ScatterData& data() const { return view_->data(); }

 Q_SIGNALS:
  void latency_chosen(const std::string& figure);
  void chosen(int item);

 protected:
  std::vector<TableRow> table_rows() const override;
  QByteArray csv() const override;
  QByteArray svg() const override;

 private:
  QString summary() const;
  ScatterView* view_;
  QComboBox* latency_;
};

}  // namespace pitwall::ui
