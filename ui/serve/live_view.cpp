// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/live_view.h"

#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/serve/figures.h"
#include "ui/serve/laps.h"
#include "ui/serve/memory_card.h"
#include "ui/serve/request_rows.h"
#include "ui/serve/serve_charts.h"
#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kRecentRows = 12;
constexpr double kChartsUnits = 146;   // four rows
constexpr double kTimelineUnits = 76;  // with what happened in a step in view below it

/// What the short table beside the charts keeps of the columns; the Requests tab has all.
constexpr std::size_t kRecentColumns[] = {0, 1, 4, 6, 7, 8};

template <class Cell>
std::vector<Cell> recent_of(const std::vector<Cell>& all) {
  std::vector<Cell> kept;
  for (const std::size_t column : kRecentColumns) kept.push_back(all[column]);
  return kept;
}

std::vector<TableRow> recent_rows(std::vector<TableRow> rows) {
  rows.resize(std::min(rows.size(), kRecentRows));
  for (TableRow& row : rows) row.cells = recent_of(row.cells);
  return rows;
}

}  // namespace

LiveView::LiveView(QWidget* parent) : QWidget(parent) {
  figures_ = new FigureStrip(this);
  memory_ = new MemoryCard(this);
  charts_ = new ServeCharts;
  recent_ = new DataTable(tr("Newest requests"), recent_of(request_columns()));
  recent_->setObjectName(QStringLiteral("serve.requestTable"));
  auto* recent = new Card(tr("Requests"), {}, tr("newest first"));
  recent->body()->addWidget(recent_, 1);
  charts_->add_beside_batch(recent);
  charts_->setMinimumHeight(units(kChartsUnits));

  requests_ = new DataTable(tr("Requests"), request_columns());
  requests_->setObjectName(QStringLiteral("serve.allRequests"));
  requests_->set_stretch_column(1);
  auto* all = new Card;
  all->body()->addWidget(requests_, 1);

  tabs_ = new QTabWidget(this);
  tabs_->setObjectName(QStringLiteral("serve.tabs"));
  tabs_->setDocumentMode(true);
  for (QWidget* part : {static_cast<QWidget*>(tabs_), static_cast<QWidget*>(tabs_->tabBar())})
    part->setAccessibleName(tr("Charts, steps or requests"));
  tabs_->addTab(charts_, tr("Charts"));
  steps_page_ = make_steps();
  tabs_->addTab(steps_page_, tr("Steps"));
  tabs_->addTab(all, tr("Requests"));

  auto* inside = new QWidget;
  auto* column = column_ = new QVBoxLayout(inside);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(units(2));
  column->addWidget(memory_);
  column->addWidget(tabs_, 1);
  auto* scroll = new QScrollArea(this);
  scroll->setProperty("bare", true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidget(inside);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(scroll);
  connect(charts_, &ServeCharts::redraw_asked, this, &LiveView::redraw_asked);
  connect(tabs_, &QTabWidget::currentChanged, this, &LiveView::redraw_asked);
}

QWidget* LiveView::make_steps() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(units(2));
  timeline_ = new StepChart(QStringLiteral("serve.steps"), tr("Steps"),
                            tr("What was in each step, and who had to give way?"));
  step_text_ = new Label(tr("Arrows choose a step, + and − zoom, 0 shows all. ▼ preempted, ◇ evicted."),
                         FontRole::small, Colour::muted);
  step_text_->setObjectName(QStringLiteral("serve.stepText"));
  step_text_->setWordWrap(true);
  timeline_->setMaximumHeight(units(kTimelineUnits));
  column->addWidget(timeline_, 1);
  auto* said = new Card;
  said->body()->addWidget(step_text_);
  step_text_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  step_text_->setMinimumHeight(units(18));  // four lines
  column->addWidget(said);
  column->addStretch(0);
  connect(timeline_, &StepChart::step_chosen, this, &LiveView::step_chosen);
  return page;
}

void LiveView::add_strip(QWidget* strip) {
  column_->insertWidget(0, strip);
}

void LiveView::show_step(std::uint64_t step) {
  tabs_->setCurrentWidget(steps_page_);
  timeline_->set_steps(&history_.steps());
  timeline_->choose(step);
}

bool LiveView::show_step_between(double from, double to) {
  const auto& steps = history_.steps();
  const auto first = std::lower_bound(steps.begin(), steps.end(), from,
                                      [](const StepSpan& step, double at) { return step.to < at; });
  if (first == steps.end() || first->from > to) return false;
  show_step(first->step);
  return true;
}

void LiveView::show_time(double at) {
  tabs_->setCurrentWidget(charts_);
  charts_->set_crosshair(at);
}

void LiveView::show_step_text(const QString& text) {
  step_text_->set_colour(Colour::text);
  step_text_->setText(text);
}

void LiveView::take(const Snapshot& snapshot, const Recorder* recorder) {
  if (recorder != nullptr) history_.take(snapshot, *recorder);
}

QWidget* LiveView::figures() const {
  return figures_;
}

void LiveView::show_snapshot(const Snapshot& snapshot, int window_seconds, const Objectives& objectives,
                             const Recorder* recorder) {
  figures_->show_snapshot(snapshot, objectives);
  memory_->show_snapshot(snapshot);
  charts_->show_snapshot(snapshot, window_seconds, history_.steps(), recorder);
  timeline_->set_laps(laps_of(snapshot.changes));
  timeline_->set_source(snapshot.run.value > 0 ? run_name(snapshot.run.value) : QString());
  if (timeline_->isVisible()) timeline_->set_steps(&history_.steps());
  std::vector<TableRow> rows = request_rows(snapshot);
  tabs_->setTabText(tabs_->count() - 1, tr("Requests %1").arg(count_text(static_cast<qint64>(rows.size()))));
  if (recent_->isVisible()) recent_->set_rows(recent_rows(rows));
  if (requests_->isVisible()) requests_->set_rows(std::move(rows));
}

}  // namespace pitwall::ui
