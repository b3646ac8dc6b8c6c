// SPDX-License-Identifier: GPL-3.0-or-later
// CompareView: two to eight runs side by side: verdict, figures with effects, distribution, what changed,
// under which conditions, memory.
#pragma once
#include <memory>
#include <vector>

#include "engine/report/run_comparison.h"
#include "ui/reports/planned_card.h"
#include "ui/widgets/card.h"
#include "ui/widgets/scroll_page.h"

class QGridLayout;

namespace pitwall::ui {

class RunsCdfChart;
class DataTable;

/// What is shown: runs and what was made of them. The comparison points into the runs.
struct ComparedRuns {
  std::vector<std::shared_ptr<const Run>> runs;
  RunComparison comparison;
  Result<PlannedBytes> planned;  ///< of the last column's first run
};

class CompareView : public ScrollPage {
  Q_OBJECT

 public:
  explicit CompareView(QWidget* parent = nullptr);
  void show_comparison(std::shared_ptr<const ComparedRuns> compared);  ///< kept until the next one

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  Card* make_verdict();
  Card* make_table(const QString& title, const QString& question, const char* id, DataTable** table);
  void arrange(int columns, bool wide_figures);
  void rearrange();

  std::shared_ptr<const ComparedRuns> compared_;
  QGridLayout* grid_;
  Card *verdict_, *figures_card_, *differing_card_, *conditions_card_;
  Tag* origin_;
  Label *headline_, *detail_, *equal_;
  DataTable *figures_, *differing_, *conditions_;
  RunsCdfChart* cdf_;
  PlannedCard* memory_;
  int columns_ = 0;
  bool wide_figures_ = false;
};

}  // namespace pitwall::ui
