// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/run_list.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

#include "ui/reports/run_rows.h"
#include "ui/shell/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

RunList::RunList(QWidget* parent) : Card(tr("Runs"), {}, {}, parent) {
  search_ = new QLineEdit;
  search_->setObjectName(QStringLiteral("report.search"));
  search_->setPlaceholderText(tr("Search runs"));
  search_->setAccessibleName(tr("Search runs"));
  search_->setAccessibleDescription(tr("Shows the runs with this text in any column"));
  search_->setToolTip(tr("Search runs (Ctrl+F)"));
  search_->setClearButtonEnabled(true);
  search_->addAction(icon(QStringLiteral("search"), Colour::muted), QLineEdit::LeadingPosition);
  kind_ = new QComboBox;
  kind_->setObjectName(QStringLiteral("report.kind"));
  kind_->setAccessibleName(tr("Kind of run"));
  kind_->addItem(tr("All kinds"), QString());
  for (const char* kind : {"serve", "bench", "simulate", "check"})
    kind_->addItem(QLatin1String(kind), QLatin1String(kind));
  table_ = new DataTable(tr("Runs"), run_columns());
  table_->setObjectName(QStringLiteral("report.list"));
  table_->setAccessibleDescription(tr("Newest first; Delete deletes a run, which can be undone"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);

  auto* top = new QHBoxLayout;
  top->setSpacing(units(2));
  top->addWidget(search_, 1);
  top->addWidget(kind_);
  body()->setSpacing(units(2));
  body()->addLayout(top);
  body()->addWidget(table_, 1);
  connect(search_, &QLineEdit::textChanged, this, &RunList::show_rows);
  connect(kind_, &QComboBox::currentIndexChanged, this, &RunList::show_rows);
  connect(table_, &DataTable::current_changed, this, [this](qint64 run) {
    if (run >= 0) Q_EMIT chosen(run);
  });
}

void RunList::set_runs(std::vector<RunListItem> runs) {
  runs_ = std::move(runs);
  show_rows();
}

void RunList::show_rows() {
  const std::string kind = kind_->currentData().toString().toStdString();
  std::vector<TableRow> rows;
  for (const RunListItem& run : runs_)
    if (kind.empty() || run.kind == kind) rows.push_back(run_row(run));
  table_->set_rows(std::move(rows));
  table_->set_filter(search_->text());
  const int shown = table_->model()->rowCount();
  const auto all = static_cast<int>(runs_.size());
  set_unit(shown == all ? count_text(all) : tr("%1 of %2").arg(count_text(shown), count_text(all)));
}

void RunList::focus_search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

}  // namespace pitwall::ui
