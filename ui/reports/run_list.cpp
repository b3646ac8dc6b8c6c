// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/run_list.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/report/run_comparison.h"
#include "engine/report/run_kind.h"
#include "ui/reports/run_rows.h"
#include "ui/shell/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

QPushButton* make_button(const QString& text, const char* id) {
  auto* button = new QPushButton(text);
  button->setObjectName(QLatin1String(id));
  button->setAccessibleName(text);
  return button;
}

}  // namespace

RunList::RunList(QWidget* parent) : Card(tr("Runs"), {}, {}, parent) {
  search_ = new QLineEdit;
  search_->setObjectName(QStringLiteral("report.search"));
  search_->setPlaceholderText(tr("Search runs"));
  search_->setAccessibleName(tr("Search runs"));
  search_->setAccessibleDescription(
      tr("Shows the runs with all of these words in name, model, kind, note or status"));
  search_->setToolTip(tr("Search runs (Ctrl+F)"));
  search_->setClearButtonEnabled(true);
  search_->addAction(icon(QStringLiteral("search"), Colour::muted), QLineEdit::LeadingPosition);
  kind_ = new QComboBox;
  kind_->setObjectName(QStringLiteral("report.kind"));
  kind_->setAccessibleName(tr("Kind of run"));
  kind_->addItem(tr("All kinds"), QString());
  for (const char* kind : {"serve", "bench", "simulate", "check", kImportedKind})
    kind_->addItem(kind_name(kind), QLatin1String(kind));
  table_ = new DataTable(tr("Runs"), run_columns());
  table_->setObjectName(QStringLiteral("report.list"));
  table_->setAccessibleDescription(
      tr("Newest first; Space marks a run for a comparison, Delete deletes a run, which can be undone"));
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->set_yielding_column(1, 3);  // the longest gap is in sight, runs of a sweep differ at their ends
  table_->installEventFilter(this);
  table_->viewport()->installEventFilter(this);
  marked_ = new Label({}, FontRole::small, Colour::muted);
  marked_->setObjectName(QStringLiteral("report.marked"));
  marked_->setWordWrap(true);

  auto* top = new QHBoxLayout;
  top->setSpacing(units(2));
  top->addWidget(search_, 1);
  top->addWidget(kind_);
  body()->setSpacing(units(2));
  body()->addLayout(top);
  body()->addWidget(table_, 1);
  body()->addWidget(marked_);
  body()->addLayout(make_buttons());
  connect(search_, &QLineEdit::textChanged, this, &RunList::show_rows);
  connect(kind_, &QComboBox::currentIndexChanged, this, &RunList::show_rows);
  connect(table_, &DataTable::current_changed, this, [this](qint64 run) {
    if (run >= 0) Q_EMIT chosen(run);
    show_marks();
  });
  show_marks();
}

QHBoxLayout* RunList::make_buttons() {
  compare_ = make_button(tr("Compare"), "report.compareButton");
  compare_->setProperty("primary", true);
  compare_->setToolTip(tr("Compare the marked runs (C); Space marks a run"));
  auto* import_button = make_button(tr("Import…"), "report.importButton");
  export_ = make_button(tr("Export…"), "report.exportButton");
  auto* row = new QHBoxLayout;
  row->setSpacing(units(2));
  for (QPushButton* button : {compare_, import_button, export_}) row->addWidget(button);
  row->addStretch(1);
  connect(compare_, &QPushButton::clicked, this, &RunList::compare_requested);
  connect(import_button, &QPushButton::clicked, this, &RunList::import_requested);
  connect(export_, &QPushButton::clicked, this, &RunList::export_requested);
  return row;
}

void RunList::set_runs(std::vector<RunListItem> runs, RunId interrupted) {
  runs_.clear();
  runs_.reserve(runs.size());
  for (RunListItem& run : runs) {
    TableRow row = run_row(run, run.id == interrupted);
    QString search = run_search_text(run, run.id == interrupted);
    runs_.push_back({std::move(run), std::move(search), std::move(row)});
  }
  std::erase_if(marks_, [this](qint64 mark) {
    return std::none_of(runs_.begin(), runs_.end(),
                        [mark](const Shown& one) { return one.run.id.value == mark; });
  });
  show_rows();
}

void RunList::show_rows() {
  const std::string kind = kind_->currentData().toString().toStdString();
  const QStringList words = search_->text().toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  static const QIcon check = icon(QStringLiteral("check"), Colour::accent);
  std::vector<TableRow> rows;
  for (const Shown& one : runs_) {
    const bool fits =
        kind.empty() || one.run.kind == kind || (kind == kImportedKind && one.run.imported_utc > 0);
    const bool found = std::all_of(words.begin(), words.end(),
                                   [&one](const QString& word) { return one.search.contains(word); });
    if (!fits || !found) continue;
    rows.push_back(one.row);
    if (!marks_.contains(one.run.id.value)) continue;
    rows.back().cells.front().icon = check;
    rows.back().cells.front().strong = true;
  }
  const auto shown = static_cast<int>(rows.size()), all = static_cast<int>(runs_.size());
  table_->set_rows(std::move(rows));
  set_unit(shown == all ? count_text(all) : tr("%1 of %2").arg(count_text(shown), count_text(all)));
  show_marks();
  Q_EMIT rows_changed();
}

bool RunList::shows(RunId run) const {
  const std::vector<TableRow>& rows = table_->table()->rows();
  return std::any_of(rows.begin(), rows.end(), [run](const TableRow& row) { return row.key == run.value; });
}

void RunList::show_marks() {
  const auto count = compared().size();
  compare_->setEnabled(count >= kLeastCompared);
  compare_->setText(count >= kLeastCompared ? tr("Compare %1").arg(count) : tr("Compare"));
  compare_->setAccessibleName(compare_->text());
  if (!runs_.empty() && table_->model()->rowCount() == 0) return marked_->setText(nothing_found());
  marked_->setText(marks_.empty() ? tr("Space marks runs to compare · ended runs never change")
                                  : tr("%1 of %2 marked · ended runs never change")
                                        .arg(count_text(static_cast<qint64>(marks_.size())),
                                             count_text(static_cast<qint64>(runs_.size()))));
}

QString RunList::nothing_found() const {
  if (!marks_.empty()) return tr("No run found · marked and not shown: %1").arg(marks_.size());
  return kind_->currentData().toString().isEmpty() ? tr("No run has all of these words")
                                                   : tr("No run of this kind has all of these words");
}

std::vector<RunId> RunList::compared() const {
  std::set<qint64> ids = marks_;
  if (ids.size() < kLeastCompared && table_->current_key() >= 0) ids.insert(table_->current_key());
  std::vector<std::pair<Nanos, qint64>> by_start;
  for (const Shown& one : runs_)
    if (ids.contains(one.run.id.value)) by_start.emplace_back(one.run.start_utc, one.run.id.value);
  std::sort(by_start.begin(), by_start.end());
  std::vector<RunId> runs;
  for (const auto& [start, id] : by_start) runs.push_back(RunId{id});
  return runs;
}

void RunList::mark(qint64 run, bool marked) {
  if (marked && !marks_.contains(run) && marks_.size() == kMostCompared) {
    Q_EMIT marks_refused();
    return;
  }
  if (marked)
    marks_.insert(run);
  else
    marks_.erase(run);
  show_rows();
  Q_EMIT marks_changed();
}

void RunList::clear_marks() {
  marks_.clear();
  show_rows();
  Q_EMIT marks_changed();
}

void RunList::toggle_current() {
  if (const qint64 run = table_->current_key(); run >= 0) mark(run, !marks_.contains(run));
}

bool RunList::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) {
    toggle_current();
    return true;
  }
  if (watched == table_->viewport() && event->type() == QEvent::MouseButtonPress) {
    const auto* press = static_cast<QMouseEvent*>(event);
    const QModelIndex at = table_->indexAt(press->pos());
    if (press->modifiers() == Qt::ControlModifier && press->button() == Qt::LeftButton && at.isValid()) {
      table_->setCurrentIndex(at);
      toggle_current();
      return true;
    }
  }
  return Card::eventFilter(watched, event);
}

void RunList::set_exportable(bool on) {
  export_->setEnabled(on);
}

void RunList::focus_search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

}  // namespace pitwall::ui
