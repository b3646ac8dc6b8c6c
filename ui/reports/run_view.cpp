// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/reports/run_view.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/reports/run_rows.h"
#include "ui/reports/run_verdict.h"
#include "ui/reports/runs_cdf_chart.h"
#include "ui/serve/laps.h"
#include "ui/serve/serve_charts.h"
#include "ui/shell/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/engine_words.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/scroll_page.h"

namespace pitwall::ui {

namespace {

/// Why lines are missing in a latency chart.
QString missing_percentiles(const std::vector<SecondRecord>& seconds, Percentiles SecondRecord::*measure) {
  if (seconds.empty()) return RunView::tr("not recorded by second");
  std::int64_t most = 0;
  for (const SecondRecord& second : seconds) most = std::max(most, (second.*measure).n);
  if (most == 0) return RunView::tr("no request ended");
  if (most < kSamplesForP90)
    return RunView::tr("n ≤ %1: no p90 until n ≥ 20, no p99 until n ≥ 100").arg(most);
  if (most < kSamplesForP99) return RunView::tr("n ≤ %1: no p99 until n ≥ 100").arg(most);
  return {};
}

constexpr std::size_t kRequestsShown = 2000;
constexpr int kTableRows = 12;
constexpr double kTwoColumns = 170;  // units that two columns need

}  // namespace

RunView::RunView(QWidget* parent) : QStackedWidget(parent) {
  setObjectName(QStringLiteral("report.run"));
  page_ = new QWidget;
  auto* layout = new QVBoxLayout(page_);
  layout->setContentsMargins(0, 0, units(2), 0);
  layout->setSpacing(units(3));
  percentiles_ = new DataTable(tr("Latency"), percentile_columns());
  auto* percentiles_card = make_table_card(tr("Latency"), tr("ms, over the requests that ended"),
                                           percentiles_, "report.percentiles");
  auto* why = new Label(tr("No p90 under 20 samples, no p99 under 100."), FontRole::caption, Colour::muted);
  percentiles_card->body()->addWidget(why);
  percentiles_->set_stretch_column(0);
  layout->addWidget(make_verdict());
  layout->addWidget(percentiles_card);
  chart_grid_ = new QGridLayout;
  table_grid_ = new QGridLayout;
  for (QGridLayout* grid : {chart_grid_, table_grid_}) grid->setSpacing(units(3));
  make_charts();
  layout->addLayout(chart_grid_);
  make_tables();
  layout->addLayout(table_grid_);
  arrange(2);
  layout->addWidget(requests_card_);
  layout->addStretch(1);

  auto* scroll = new ScrollPage(tr("Run"));
  scroll->setWidget(page_);
  addWidget(make_message());
  addWidget(scroll);
}

QWidget* RunView::make_message() {
  auto* empty = new QWidget;
  auto* layout = new QVBoxLayout(empty);
  message_ = new Label({}, FontRole::body, Colour::muted);
  message_->setObjectName(QStringLiteral("report.message"));
  message_->setWordWrap(true);
  message_->setAlignment(Qt::AlignCenter);
  verb_ = new QPushButton(tr("Try again"));
  verb_->setObjectName(QStringLiteral("report.verb"));
  verb_->setProperty("primary", true);
  second_verb_ = new QPushButton(tr("Import…"));
  second_verb_->setObjectName(QStringLiteral("report.secondVerb"));
  auto* verbs = new QHBoxLayout;
  verbs->setSpacing(units(2));
  verbs->addStretch(1);
  verbs->addWidget(verb_);
  verbs->addWidget(second_verb_);
  verbs->addStretch(1);
  layout->addStretch(2);
  layout->addWidget(message_);
  layout->addSpacing(units(2));
  layout->addLayout(verbs);
  layout->addStretch(3);
  for (QPushButton* button : {verb_, second_verb_}) button->setAccessibleName(button->text());
  connect(verb_, &QPushButton::clicked, this, &RunView::verb_chosen);
  connect(second_verb_, &QPushButton::clicked, this, &RunView::second_verb_chosen);
  return empty;
}

void RunView::make_tables() {
  config_ = new DataTable(tr("Settings"), config_columns());
  environment_ = new DataTable(tr("Conditions"), environment_columns());
  requests_ = new DataTable(tr("Requests"), run_request_columns(false));
  files_ = new DataTable(tr("Files"), {{tr("File")}, {tr("Size"), true}, {tr("sha256, first 12")}});
  config_card_ = make_table_card(tr("Settings"), {}, config_, "report.config");
  environment_card_ = make_table_card(tr("Conditions"), {}, environment_, "report.conditions");
  requests_card_ = make_table_card(tr("Requests"), {}, requests_, "report.requests");
  files_card_ = make_table_card(tr("Files"), tr("what an export writes"), files_, "report.files");
  files_note_ = new Label({}, FontRole::small, Colour::muted);
  files_note_->setWordWrap(true);
  files_card_->body()->insertWidget(1, files_note_);
  environment_->set_stretch_column(1);
  config_->set_stretch_column(1);
  files_->set_stretch_column(0);
  planned_ = new PlannedCard(QStringLiteral("report.memory"));
  connect(requests_->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    const auto shown = static_cast<qint64>(requests_->table()->rows().size());
    if (picture_ && value == requests_->verticalScrollBar()->maximum() && shown < picture_->requests)
      Q_EMIT requests_wanted(shown);
  });
}

Card* RunView::make_verdict() {
  verdict_card_ = new Card;
  verdict_card_->setObjectName(QStringLiteral("report.verdict"));
  tag_ = new Tag;
  tag_->setObjectName(QStringLiteral("report.status"));
  origin_ = new Tag;
  origin_->setObjectName(QStringLiteral("report.origin"));
  unlisted_ = new Tag;
  unlisted_->setObjectName(QStringLiteral("report.unlisted"));
  unlisted_->set(Tag::Kind::neutral, tr("not in the list"));
  unlisted_->setToolTip(tr("The search or the kind leaves this run out."));
  unlisted_->hide();
  verdict_card_->add_header_widget(unlisted_);
  verdict_card_->add_header_widget(origin_);
  verdict_card_->add_header_widget(tag_);
  headline_ = new Label({}, FontRole::title);
  headline_->setObjectName(QStringLiteral("report.headline"));
  detail_ = new Label({}, FontRole::body);
  for (Label* label : {headline_, detail_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }

  command_row_ = new QWidget;
  auto* command_layout = new QHBoxLayout(command_row_);
  command_layout->setContentsMargins(0, 0, 0, 0);
  command_layout->setSpacing(units(2));
  command_ = new ElidedLabel({}, FontRole::code, Colour::muted);
  command_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* copy = new QToolButton;
  copy->setIcon(icon(QStringLiteral("copy"), Colour::accent));
  copy->setText(tr("Copy command"));
  copy->setFont(Theme::current().font(FontRole::small));
  copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  copy->setAutoRaise(true);
  copy->setAccessibleName(copy->text());
  copy->setToolTip(tr("Copy the command that serves with these settings"));
  command_layout->addWidget(command_, 1);
  command_layout->addWidget(copy);
  connect(copy, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(command_->text()); });

  note_ = new QLineEdit;
  note_->setObjectName(QStringLiteral("report.note"));
  note_->setPlaceholderText(tr("Add a note (F2)"));
  note_->setAccessibleName(tr("Note"));
  note_->setAccessibleDescription(tr("Kept with the run; the run itself does not change"));
  note_->setMaxLength(4000);
  connect(note_, &QLineEdit::editingFinished, this, [this] {
    if (note_->text() == sent_note_ && note_trouble_->isHidden()) return;
    sent_note_ = note_->text();
    Q_EMIT note_changed(sent_note_);
  });

  note_trouble_ = new Label({}, FontRole::small, Colour::bad);
  note_trouble_->setObjectName(QStringLiteral("report.noteTrouble"));
  note_trouble_->setWordWrap(true);

  for (QWidget* row : {static_cast<QWidget*>(headline_), static_cast<QWidget*>(detail_), command_row_})
    verdict_card_->body()->addWidget(row);
  verdict_card_->body()->addSpacing(units(1));
  verdict_card_->body()->addWidget(note_);
  verdict_card_->body()->addWidget(note_trouble_);
  return verdict_card_;
}

Card* RunView::make_table_card(const QString& title, const QString& unit, DataTable* table, const char* id) {
  table->setObjectName(QLatin1String(id));
  table->fit_height(kTableRows);
  auto* card = new Card(title, unit);
  card->body()->addWidget(table);
  card->body()->addStretch(1);
  return card;
}

void RunView::make_charts() {
  itl_ = add_chart({QStringLiteral("report.chart.itl"), tr("ITL"), tr("ms"), tr("Any stutter?"), true});
  ttft_ =
      add_chart({QStringLiteral("report.chart.ttft"), tr("TTFT"), tr("ms"), tr("How long to start?"), true});
  tpot_ =
      add_chart({QStringLiteral("report.chart.tpot"), tr("TPOT"), tr("ms"), tr("How fast to write?"), true});
  throughput_ = add_chart(
      {QStringLiteral("report.chart.throughput"), tr("Throughput"), tr("tok/s"), tr("What got out?"), false});
  memory_ =
      add_chart({QStringLiteral("report.chart.memory"), tr("Memory"), tr("GiB"), tr("What grew?"), false});
  cdf_ = new RunsCdfChart(QStringLiteral("report.chart.cdf"));
  cdf_->setMinimumHeight(units(46));
}

/// Charts and tables side by side, or one below the other where two would be cramped.
void RunView::arrange(int columns) {
  if (columns == columns_) return;
  columns_ = columns;
  const auto place = [columns](QGridLayout* grid, const std::vector<QWidget*>& cells) {
    for (QWidget* cell : cells) grid->removeWidget(cell);
    for (int i = 0, count = static_cast<int>(cells.size()); i < count; ++i) {
      const bool alone = i + 1 == count && i % columns == 0;
      grid->addWidget(cells[static_cast<std::size_t>(i)], i / columns, i % columns, 1, alone ? columns : 1);
    }
    for (int column = 0; column < 2; ++column) grid->setColumnStretch(column, column < columns ? 1 : 0);
  };
  std::vector<QWidget*> drawings{charts_.begin(), charts_.end()};
  drawings.push_back(cdf_);
  place(chart_grid_, drawings);
  place(table_grid_, {planned_, config_card_, environment_card_, files_card_});
}

void RunView::resizeEvent(QResizeEvent* event) {
  QStackedWidget::resizeEvent(event);
  arrange(width() < units(kTwoColumns) ? 1 : 2);
}

LineChart* RunView::add_chart(const LineChart::Spec& spec) {
  auto* chart = new LineChart(spec);
  chart->setMinimumHeight(units(46));
  for (LineChart* other : charts_) {
    connect(chart, &LineChart::crosshair_moved, other, &LineChart::set_crosshair);
    connect(other, &LineChart::crosshair_moved, chart, &LineChart::set_crosshair);
  }
  charts_.push_back(chart);
  return chart;
}

void RunView::show_message(const QString& text, const QString& verb, const QString& second_verb) {
  message_->setText(text);
  for (const auto& [button, words] : {std::pair(verb_, verb), std::pair(second_verb_, second_verb)}) {
    button->setVisible(!words.isEmpty());
    if (words.isEmpty()) continue;
    button->setText(words);
    button->setAccessibleName(words);
  }
  setCurrentIndex(0);
}

void RunView::set_loading(bool loading) {
  page_->setDisabled(loading);
}

void RunView::show_run(std::shared_ptr<const RunPicture> picture, const QString& serve_command,
                       bool interrupted) {
  picture_ = std::move(picture);
  const Run& run = picture_->run;
  const RunVerdict verdict = run_verdict(run, picture_->requests, interrupted);
  headline_->setText(verdict.headline);
  detail_->setText(verdict.detail);
  detail_->setVisible(!verdict.detail.isEmpty());
  tag_->set(verdict.kind, verdict.tag);
  const QString name = engine_words(run.header.name.empty() ? run.header.model_name : run.header.name);
  const QString origin = run_origin(run);
  origin_->setVisible(!origin.isEmpty());
  origin_->set(Tag::Kind::neutral, origin);
  QStringList parts{name, kind_name(run.header.kind)};
  if (run.summary.end_utc > run.header.start_utc)
    parts << elapsed_text(run.summary.end_utc - run.header.start_utc);
  parts.removeAll(QString());
  verdict_card_->set_title(run_name(run.id.value));
  verdict_card_->set_question(parts.join(QStringLiteral(" · ")));
  command_->setText(serve_command);
  command_->setToolTip(serve_command);
  command_row_->setVisible(!serve_command.isEmpty());
  note_->setText(QString::fromStdString(run.note));
  mark_note(note_->text(), {});

  percentiles_->set_rows(percentile_rows(run));
  config_->set_rows(config_rows(run.header));
  const auto changed = std::count_if(run.header.config.begin(), run.header.config.end(),
                                     [](const ConfigEntry& entry) { return entry.changed; });
  config_card_->set_unit(changed == 0 ? tr("all at their defaults") : tr("△ %1 changed").arg(changed));
  environment_->set_rows(environment_rows(run, picture_->requests));
  for (LineChart* chart : charts_) chart->forget_limits();  // of the run before
  show_charts(run);
  const QString soon = tr("Being worked out…");
  show_planned(Error{Error::Kind::busy, soon.toStdString(), "", "", ""});
  show_files({}, soon);
  set_loading(false);
  setCurrentIndex(1);
}

void RunView::add_requests(const std::vector<RequestRecord>& worst, bool first) {
  const bool errors =
      picture_->run.summary.totals.requests_error > 0 ||
      std::any_of(worst.begin(), worst.end(), [](const auto& one) { return !one.error.empty(); });
  const auto columns = static_cast<int>(run_request_columns(errors).size());
  if (first && columns != requests_->table()->columnCount())
    requests_->table()->set_columns(run_request_columns(errors));
  std::vector<TableRow> rows = first ? std::vector<TableRow>() : requests_->table()->rows();
  for (TableRow& row : run_request_rows(worst)) rows.push_back(std::move(row));
  requests_->set_rows(std::move(rows));
  show_request_count();
}

void RunView::show_request_count() {
  const auto shown = static_cast<qint64>(requests_->table()->rows().size());
  requests_card_->set_unit(shown < picture_->requests
                               ? tr("the %1 with the longest gaps, of %2; scroll for more")
                                     .arg(count_text(shown), count_text(picture_->requests))
                               : tr("%1, by worst ITL").arg(count_text(shown)));
}

void RunView::show_planned(const Result<PlannedBytes>& planned) {
  planned_->show_run(picture_->run, planned);
}

void RunView::show_files(const std::vector<ExportedFile>& files, const QString& why_none) {
  std::vector<TableRow> rows;
  for (const ExportedFile& file : files)
    rows.push_back({static_cast<qint64>(rows.size()),
                    {{file.name}, {bytes_text(file.bytes), static_cast<double>(file.bytes)}, {file.sha256}}});
  files_->setVisible(!rows.empty());
  files_->set_rows(std::move(rows));
  files_note_->setText(files.empty() ? why_none : tr("The same run gives the same bytes on every export."));
}

void RunView::show_charts(const Run& run) {
  const auto latency = [&run](LineChart* chart, Percentiles SecondRecord::*measure, Colour colour) {
    chart->set_series(percentile_series(run.seconds, measure, colour));
    chart->set_note(missing_percentiles(run.seconds, measure));
  };
  const std::vector<ChartLap> laps = laps_of(run.changes);
  for (LineChart* chart : charts_) {
    chart->set_source(run_name(run.id.value));
    chart->set_laps(laps);
    chart->set_crosshair(std::nan(""));
  }
  latency(itl_, &SecondRecord::itl, Colour::itl);
  latency(ttft_, &SecondRecord::ttft, Colour::ttft);
  latency(tpot_, &SecondRecord::tpot, Colour::tpot);
  throughput_->set_series(throughput_series(run.seconds));
  std::vector<ChartSeries> memory = memory_series(run.seconds, kGiB);
  // A simulated run has no system that measures: its line is not 0, it is none.
  std::erase_if(memory, [](const ChartSeries& line) {
    return std::all_of(line.y.begin(), line.y.end(), [](double y) { return y == 0; });
  });
  memory_->set_series(std::move(memory));
  cdf_->set_source(run_name(run.id.value));
  cdf_->set_runs({&run});
}

void RunView::show_note(const QString& note, const QString& why_not) {
  note_->setText(note);
  mark_note(note, why_not);
}

void RunView::mark_note(const QString& note, const QString& why_not) {
  const bool kept = why_not.isEmpty();
  if (kept) kept_note_ = note;
  sent_note_ = kept_note_;
  note_->setProperty("wrong", !kept);
  note_->update();
  note_trouble_->setText(kept ? QString() : tr("Not kept: %1").arg(why_not));
  note_trouble_->setVisible(!kept);
}

void RunView::set_listed(bool listed) {
  unlisted_->setVisible(!listed);
}

void RunView::edit_note() {
  if (currentIndex() != 1) return;
  note_->setFocus(Qt::ShortcutFocusReason);
  note_->selectAll();
}

}  // namespace pitwall::ui
