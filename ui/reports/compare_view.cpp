// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/compare_view.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include "ui/reports/compare_rows.h"
#include "ui/reports/runs_cdf_chart.h"
#include "ui/shell/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr int kTableRows = 16;
constexpr int kLeftShare = 11, kRightShare = 9;
constexpr double kTwoColumns = 232;  // units that two columns need

}  // namespace

CompareView::CompareView(QWidget* parent) : ScrollPage(tr("Comparison"), parent) {
  setObjectName(QStringLiteral("report.comparison"));
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, units(2), 0);
  layout->setSpacing(units(3));
  layout->addWidget(make_verdict());
  figures_card_ = make_table(tr("Before and after"), tr("What did the change buy, what did it cost?"),
                             "report.compare", &figures_);
  differing_card_ =
      make_table(tr("What changed"), tr("only keys that differ"), "report.diffKeys", &differing_);
  equal_ = new Label({}, FontRole::small, Colour::muted);
  equal_->setObjectName(QStringLiteral("report.equalKeys"));
  equal_->setWordWrap(true);
  static_cast<QVBoxLayout*>(differing_card_->body())->insertWidget(1, equal_);
  conditions_card_ = make_table(tr("Conditions"), {}, "report.comparedConditions", &conditions_);
  cdf_ = new RunsCdfChart(QStringLiteral("report.cdf"));
  cdf_->setMinimumHeight(units(64));
  memory_ = new PlannedCard(QStringLiteral("report.planMeasured"));
  grid_ = new QGridLayout;
  grid_->setSpacing(units(3));
  layout->addLayout(grid_);
  layout->addStretch(1);
  arrange(2, false);
  setWidget(page);
}

Card* CompareView::make_verdict() {
  verdict_ = new Card;
  verdict_->setObjectName(QStringLiteral("report.comparedVerdict"));
  origin_ = new Tag;
  origin_->setObjectName(QStringLiteral("report.comparedOrigin"));
  verdict_->add_header_widget(origin_);
  headline_ = new Label({}, FontRole::title);
  headline_->setObjectName(QStringLiteral("report.comparedHeadline"));
  detail_ = new Label({}, FontRole::body);
  for (Label* label : {headline_, detail_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    verdict_->body()->addWidget(label);
  }
  return verdict_;
}

Card* CompareView::make_table(const QString& title, const QString& question, const char* id,
                              DataTable** table) {
  auto* card = new Card(title, {}, question);
  *table = new DataTable(title, {});
  (*table)->setObjectName(QLatin1String(id));
  (*table)->fit_height(kTableRows);
  card->body()->addWidget(*table);
  card->body()->addStretch(1);
  return card;
}

/// Tables and drawings side by side, or one below the other where two would be cramped.
void CompareView::arrange(int columns, bool wide_figures) {
  if (columns == columns_ && wide_figures == wide_figures_) return;
  columns_ = columns;
  wide_figures_ = wide_figures;
  const std::vector<QWidget*> cells{figures_card_, cdf_, differing_card_, memory_, conditions_card_};
  for (QWidget* cell : cells) grid_->removeWidget(cell);
  grid_->setColumnStretch(0, kLeftShare);
  grid_->setColumnStretch(1, columns == 2 ? kRightShare : 0);
  if (columns == 1) {
    for (int i = 0; i < static_cast<int>(cells.size()); ++i)
      grid_->addWidget(cells[static_cast<std::size_t>(i)], i, 0);
    return;
  }
  if (wide_figures) {  // many columns: so have the keys that differ, and the conditions
    grid_->addWidget(figures_card_, 0, 0, 1, 2);
    grid_->addWidget(differing_card_, 1, 0, 1, 2);
    grid_->addWidget(cdf_, 2, 0);
    grid_->addWidget(memory_, 2, 1);
    grid_->addWidget(conditions_card_, 3, 0, 1, 2);
    return;
  }
  grid_->addWidget(figures_card_, 0, 0);
  grid_->addWidget(cdf_, 0, 1);
  grid_->addWidget(differing_card_, 1, 0);
  grid_->addWidget(conditions_card_, 2, 0);
  grid_->addWidget(memory_, 1, 1, 2, 1);
}

void CompareView::resizeEvent(QResizeEvent* event) {
  ScrollPage::resizeEvent(event);
  rearrange();
}

/// The table of figures has the width that it needs, beside the distribution where that leaves it enough.
void CompareView::rearrange() {
  constexpr double kCardMargins = 8, kLeastDrawing = 76;  // units; margins with the room between the columns
  const int needed = figures_->horizontalHeader()->length() + units(kCardMargins);
  const bool beside = width() - needed >= units(kLeastDrawing + kCardMargins);
  arrange(beside || width() >= units(kTwoColumns) ? 2 : 1, !beside);
  grid_->setColumnMinimumWidth(0, beside ? needed : 0);
}

void CompareView::show_comparison(std::shared_ptr<const ComparedRuns> compared) {
  compared_ = std::move(compared);
  const RunComparison& comparison = compared_->comparison;
  QStringList names;
  for (const ComparedColumn& column : comparison.columns) names << column_title(column);
  verdict_->set_title(tr("Comparison of %1").arg(comparison.columns.size()));
  verdict_->set_question(names.join(QStringLiteral(" → ")));
  const QString origin = comparison_origin(comparison);
  origin_->setVisible(!origin.isEmpty());
  origin_->set(Tag::Kind::neutral, origin);
  headline_->setText(comparison_headline(comparison));
  detail_->setText(comparison_detail(comparison));

  const auto fill = [](DataTable* table, std::vector<TableColumn> columns, std::vector<TableRow> rows) {
    table->table()->set_columns(std::move(columns));
    table->set_rows(std::move(rows));
  };
  const bool pairs = effects_below(comparison);
  figures_->setSortingEnabled(!pairs);  // rows that belong together stay so
  if (pairs) figures_->model()->sort(-1);
  figures_->fit_height(pairs ? 2 * kTableRows : kTableRows);
  fill(figures_, compared_columns(comparison), compared_rows(comparison));
  rearrange();
  fill(differing_, differing_columns(comparison), differing_rows(comparison));
  fill(conditions_, condition_columns(comparison), condition_rows(comparison));
  equal_->setText(
      tr("Other settings equal: %1. %2")
          .arg(count_text(static_cast<qint64>(comparison.equal_settings)),
               comparison.environment.empty() ? tr("Environment equal.") : tr("△ Environment differs.")));
  std::vector<const Run*> firsts;
  for (const ComparedColumn& column : comparison.columns) firsts.push_back(&column.run());
  cdf_->set_source(names.join(QStringLiteral(", ")));
  cdf_->set_runs(std::move(firsts));
  memory_->set_question(names.back());
  memory_->show_run(comparison.columns.back().run(), compared_->planned);
}

}  // namespace pitwall::ui
