// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/log_view.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/widgets/data_table.h"
#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr int kBatchMs = 100;  // lines come in batches, ten a second at most
constexpr double kSearchUnits = 50;

struct LevelWords {
  QString text;
  Colour colour;
};

LevelWords words_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return {LogView::tr("detail"), Colour::muted};
    case LogLevel::info:
      return {LogView::tr("info"), Colour::text};
    case LogLevel::warning:
      return {LogView::tr("△ warning"), Colour::warn};
    case LogLevel::error:
      return {LogView::tr("✕ error"), Colour::bad};
  }
  return {};
}

}  // namespace

LogView::LogView(QWidget* parent) : Card({}, {}, {}, parent), timer_(new QTimer(this)) {
  setObjectName(QStringLiteral("serve.log"));
  level_ = new QComboBox(this);
  level_->setObjectName(QStringLiteral("serve.log.level"));
  level_->setProperty("compact", true);
  level_->setAccessibleName(tr("Least level"));
  level_->setAccessibleDescription(tr("Lines of this level and worse are shown."));
  level_->addItem(tr("All lines"), static_cast<int>(LogLevel::debug));
  level_->addItem(tr("Without details"), static_cast<int>(LogLevel::info));
  level_->addItem(tr("Warnings and errors"), static_cast<int>(LogLevel::warning));
  level_->addItem(tr("Errors"), static_cast<int>(LogLevel::error));
  search_ = new QLineEdit(this);
  search_->setObjectName(QStringLiteral("serve.log.search"));
  search_->setProperty("compact", true);
  search_->setAccessibleName(tr("Search the log"));
  search_->setPlaceholderText(tr("Search the log"));
  search_->setClearButtonEnabled(true);
  search_->setMaximumWidth(units(kSearchUnits));
  said_ = new Label({}, FontRole::small, Colour::muted, this);
  said_->setObjectName(QStringLiteral("serve.log.said"));
  auto* copy = new QPushButton(tr("Copy"), this);
  copy->setObjectName(QStringLiteral("serve.log.copy"));
  copy->setProperty("compact", true);
  copy->setToolTip(tr("Copies the lines that are shown."));
  table_ = new DataTable(tr("Log"), {{tr("Time")}, {tr("Level")}, {tr("What happened")}}, this);
  table_->setObjectName(QStringLiteral("serve.log.lines"));
  table_->set_stretch_column(2);
  auto* row = new QHBoxLayout;
  row->setSpacing(units(2));
  row->addWidget(level_);
  row->addWidget(search_, 1);
  row->addWidget(said_);
  row->addStretch(0);
  row->addWidget(copy);
  body()->addLayout(row);
  body()->addSpacing(units(1));
  body()->addWidget(table_, 1);
  timer_->setInterval(kBatchMs);
  connect(timer_, &QTimer::timeout, this, &LogView::look);
  connect(level_, &QComboBox::currentIndexChanged, this, &LogView::fill);
  connect(search_, &QLineEdit::textChanged, this, &LogView::fill);
  connect(copy, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(table_->to_csv()); });
}

void LogView::showEvent(QShowEvent* event) {
  Card::showEvent(event);
  timer_->start();
  look();
}

void LogView::hideEvent(QHideEvent* event) {
  Card::hideEvent(event);
  timer_->stop();
}

void LogView::look() {
  if (!window()->isMinimized() && EngineLog::current().written() != shown_) fill();
}

void LogView::fill() {
  const std::vector<LogLine> lines = EngineLog::current().lines();
  const auto least = static_cast<LogLevel>(level_->currentData().toInt());
  const QString wanted = search_->text().trimmed();
  std::vector<TableRow> rows;
  for (const LogLine& line : lines) {
    if (line.level < least || !line.text.contains(wanted, Qt::CaseInsensitive)) continue;
    const LevelWords level = words_of(line.level);
    rows.push_back(
        {line.number, {{time_text(line.utc)}, {level.text, 0, level.colour}, {line.text, 0, level.colour}}});
  }
  shown_ = lines.empty() ? 0 : lines.front().number;
  said_->setText(lines.empty()
                     ? tr("Nothing was written yet.")
                     : tr("%1 of %2 lines").arg(count_text(std::ssize(rows)), count_text(std::ssize(lines))));
  table_->set_rows(std::move(rows));
}

}  // namespace pitwall::ui
