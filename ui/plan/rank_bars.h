// SPDX-License-Identifier: GPL-3.0-or-later
// RankBars: the memory of each alternative's ranks against its limit, drawn to one scale; what a run of the
// subject measured stands under what was planned.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "engine/plan/deployment_plan.h"
#include "engine/telemetry/ledger.h"
#include "ui/widgets/chart_card.h"
#include "ui/widgets/memory_parts.h"

namespace pitwall::ui {

struct MeasuredMemory {
  QString source;  ///< "R-0147", "now"
  LedgerSnapshot ledger;
};
struct RankBarEntry {
  qint64 key = 0;
  QString title;
  bool subject = false;
  std::shared_ptr<const DeploymentPlan> plan;  ///< not null
  std::optional<MeasuredMemory> measured;
};

/// In the order of drawing; KV is split into what the demand needs and what stays free.
std::vector<MemoryPart> planned_parts(const RankPlan& rank);
/// Why the demand does not fit, with the figures; empty when it does.
QString shortage_text(const DeploymentPlan& plan);
/// The categories that were measured more than 2 % of the device away from the plan, with both figures; empty
/// when none was.
QString difference_text(const DeploymentPlan& plan, const MeasuredMemory& measured);

class RankBarsView;

class RankBars : public ChartCard {
  Q_OBJECT

 public:
  explicit RankBars(QWidget* parent = nullptr);
  void set_entries(std::vector<RankBarEntry> entries);
  const std::vector<RankBarEntry>& entries() const { return entries_; }
  QString summary() const;  ///< the accessible description

 Q_SIGNALS:
  void chosen(qint64 key);

 protected:
  std::vector<TableRow> table_rows() const override;
  QByteArray csv() const override;
  QByteArray svg() const override;

 private:
  std::vector<RankBarEntry> entries_;
  QStringList shown_columns_;
  RankBarsView* view_;
};

}  // namespace pitwall::ui
