// SPDX-License-Identifier: GPL-3.0-or-later
// The answer beside the form: memory bars, the table of alternatives, the two charts and the changes that
// help. It draws alternatives and keeps nothing but widgets.
#pragma once
#include <QScrollArea>
#include <optional>

#include "engine/plan/deployment_plan.h"
#include "ui/plan/rank_bars.h"

namespace pitwall::ui {

struct Alternative;
class Alternatives;
class DataTable;
class FixList;
class NoticeStrip;
class PlanCharts;
class Veil;

class PlanAnswer : public QScrollArea {
  Q_OBJECT

 public:
  explicit PlanAnswer(QWidget* parent = nullptr);

  /// `measured`: of the subject's model, on its kind of device. `sliding`: no axis shrinks meanwhile.
  void show_alternatives(const Alternatives& alternatives, double took_ms,
                         const std::optional<MeasuredMemory>& measured, bool sliding);
  void set_muted(bool muted);  ///< what is shown answers an older question
  NoticeStrip* notice() const { return notice_; }

 Q_SIGNALS:
  void chosen(qint64 alternative);
  void fix_chosen(qint64 alternative, const std::vector<pitwall::Fix>& changes);

 private:
  void show_bars(const Alternatives& alternatives, const std::optional<MeasuredMemory>& measured);
  void show_table(const Alternatives& alternatives, double took_ms);
  void show_fixes(const Alternatives& alternatives);
  NoticeStrip* notice_;
  QWidget* answer_;  ///< all but the notice
  RankBars* bars_;
  Card* table_card_;
  DataTable* table_;
  Label* note_;
  PlanCharts* charts_;
  FixList* fixes_;
  Veil* veil_;
};

}  // namespace pitwall::ui
