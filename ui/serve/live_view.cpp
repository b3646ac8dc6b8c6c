// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/live_view.h"

#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/serve/figures.h"
#include "ui/serve/laps.h"
#include "ui/serve/log_view.h"
#include "ui/serve/memory_card.h"
#include "ui/serve/request_rows.h"
#include "ui/serve/serve_charts.h"
#include "ui/serve/steps_view.h"
#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/stagger.h"

namespace pitwall::ui {

namespace {

constexpr std::size_t kRecentRows = 12;
constexpr double kChartsUnits = 183;  // five rows

/// What the short table beside the charts keeps of the columns; the Requests tab has all.
constexpr std::size_t kRecentColumns[] = {0, 1, 3, 4, 5, 7, 8, 9};
constexpr int kRecentPrompt = 2, kRecentCached = 3;  // of those

template <class Cell>
std::vector<Cell> recent_of(const std::vector<Cell>& all) {
  std::vector<Cell> kept;
  for (const std::size_t column : kRecentColumns) kept.push_back(all[column]);
  return kept;
}

std::vector<TableRow> recent_rows(std::vector<TableRow> rows) {
  for (TableRow& row : rows) row.cells = recent_of(row.cells);
  return rows;
}

}  // namespace

LiveView::LiveView(QWidget* parent) : QWidget(parent) {
  figures_ = new FigureStrip(this);
  memory_ = new MemoryCard(this);
  build_tabs();
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
  stagger_ = new Stagger(drawings(), this);
  connect(charts_, &ServeCharts::redraw_asked, this, &LiveView::redraw_asked);
  connect(charts_, &ServeCharts::step_chosen, this, &LiveView::show_step);
  connect(steps_, &StepsView::step_chosen, this, &LiveView::step_chosen);
  connect(tabs_, &QTabWidget::currentChanged, this, &LiveView::redraw_asked);
}

void LiveView::build_tabs() {
  charts_ = new ServeCharts;
  recent_ = new DataTable(tr("Newest requests"), recent_of(request_columns()));
  recent_->setObjectName(QStringLiteral("serve.requestTable"));
  recent_->set_optional_columns({kRecentCached, kRecentPrompt});
  auto* recent = new Card(tr("Requests"), {}, tr("newest first"));
  recent->body()->addWidget(recent_, 1);
  charts_->add_beside_batch(recent);
  charts_->setMinimumHeight(units(kChartsUnits));

  requests_ = new DataTable(tr("Requests"), request_columns());
  requests_->setObjectName(QStringLiteral("serve.allRequests"));
  requests_->set_stretch_column(1);
  auto* all = new Card;
  all->body()->addWidget(requests_, 1);
  requests_page_ = all;

  tabs_ = new QTabWidget(this);
  tabs_->setObjectName(QStringLiteral("serve.tabs"));
  tabs_->setDocumentMode(true);
  for (QWidget* part : {static_cast<QWidget*>(tabs_), static_cast<QWidget*>(tabs_->tabBar())})
    part->setAccessibleName(tr("Charts, steps, requests or log"));
  steps_ = new StepsView;
  tabs_->addTab(charts_, tr("Charts"));
  tabs_->addTab(steps_, tr("Steps"));
  tabs_->addTab(requests_page_, tr("Requests"));
  log_ = new LogView;
  tabs_->addTab(log_, tr("Log"));
}

void LiveView::add_strip(QWidget* strip) {
  column_->insertWidget(0, strip);
}

void LiveView::show_step(std::uint64_t step) {
  tabs_->setCurrentWidget(steps_);
  steps_->timeline()->set_steps(&history_.steps());
  steps_->timeline()->choose(step);
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

void LiveView::show_log() {
  tabs_->setCurrentWidget(log_);
}

void LiveView::tell_step(std::uint64_t step, const Recorder* recorder) {
  steps_->tell(step, recorder);
}

void LiveView::take(const Snapshot& snapshot, const Recorder* recorder) {
  if (recorder != nullptr) history_.take(snapshot, *recorder);
}

void LiveView::show_ended(const QString& text) {
  memory_->show_ended(text);
  figures_->show_ended(!text.isEmpty());
}

QWidget* LiveView::figures() const {
  return figures_;
}

void LiveView::show_snapshot(std::shared_ptr<const Snapshot> snapshot, int window_seconds,
                             const Objectives& objectives) {
  snapshot_ = std::move(snapshot);
  objectives_ = objectives;
  charts_->set_snapshot(snapshot_, window_seconds, history_.steps());
  stagger_->ask();
}

void LiveView::finish_drawing() {
  stagger_->finish();
}

std::vector<std::function<void()>> LiveView::drawings() {
  std::vector<std::function<void()>> all = charts_->drawings();
  all.emplace_back([this] { figures_->show_snapshot(*snapshot_, objectives_); });
  all.emplace_back([this] { memory_->show_snapshot(*snapshot_); });
  all.emplace_back([this] { draw_steps(); });
  all.emplace_back([this] { draw_requests(); });
  return all;
}

void LiveView::draw_steps() {
  StepChart* timeline = steps_->timeline();
  timeline->set_laps(laps_of(snapshot_->changes, snapshot_->first_lap));
  timeline->set_source(snapshot_->run.value > 0 ? run_name(snapshot_->run.value) : QString());
  if (timeline->isVisible()) timeline->set_steps(&history_.steps());
}

void LiveView::draw_requests() {
  const int tab = tabs_->indexOf(requests_page_);
  const QString title = tr("Requests %1").arg(count_text(std::ssize(snapshot_->requests)));
  if (tabs_->tabText(tab) != title) tabs_->setTabText(tab, title);  // it lays out and paints all again
  if (recent_->isVisible()) recent_->set_rows(recent_rows(request_rows(*snapshot_, kRecentRows)));
  if (requests_->isVisible()) requests_->set_rows(request_rows(*snapshot_));
}

}  // namespace pitwall::ui
