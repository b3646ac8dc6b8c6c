// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/status_bar.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QTimer>

#include "engine/telemetry/laps.h"
#include "ui/shell/engine_controller.h"
#include "ui/shell/engine_state.h"
#include "ui/shell/job_strip.h"
#include "ui/shell/model_path.h"
#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/text_line.h"

namespace pitwall::ui {

namespace {

constexpr int kCopiedMs = 1500;
constexpr int kModelShare = 4;  // of the width, a model's name takes one in so many

/// A pattern's words with what stands for %1 in bold.
std::vector<LineWords> with_bold(const QString& pattern, const QString& bold) {
  const qsizetype at = pattern.indexOf(QLatin1String("%1"));
  return {{pattern.left(at).trimmed()},
          {bold, FontRole::small, Colour::muted, true},
          {pattern.mid(at + 2).trimmed()}};
}

}  // namespace

StatusBar::StatusBar(EngineController& engine, QAction* commands, QWidget* parent)
    : QWidget(parent), engine_(engine) {
  setObjectName(QStringLiteral("shell.statusBar"));
  setFixedHeight(units(6.75));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(units(3), 1, units(3), 0);
  row->setSpacing(units(3));
  state_ = add_cell(row);
  rate_ = add_cell(row);
  memory_ = add_cell(row);
  url_ = new QPushButton(this);
  url_->setObjectName(QStringLiteral("shell.url"));
  url_->setFlat(true);
  url_->setFocusPolicy(Qt::TabFocus);  // a click leaves it to the page
  url_->setProperty("compact", true);
  url_->setFont(Theme::current().font(FontRole::small));
  url_->setToolTip(tr("Copy the address"));
  row->addWidget(url_);
  cells_ << url_;
  run_ = add_cell(row);
  lap_ = add_cell(row);
  lap_->setObjectName(QStringLiteral("shell.lap"));
  row->addStretch(1);
  jobs_ = new JobStrip(this);
  row->addWidget(jobs_, 1000);  // before the stretch, as far as it grows
  auto* keys = new QPushButton(this);
  keys->setObjectName(QStringLiteral("shell.commandsButton"));
  keys->setFlat(true);
  keys->setFocusPolicy(Qt::TabFocus);
  keys->setProperty("compact", true);
  keys->setFont(Theme::current().font(FontRole::small));
  const auto show_key = [keys, commands] {
    const QString key = commands->shortcut().toString(QKeySequence::NativeText);
    keys->setText(key.isEmpty() ? commands->text() : tr("%1 %2").arg(commands->text(), key));
  };
  show_key();
  row->addWidget(keys);
  connect(commands, &QAction::changed, keys, show_key);
  connect(keys, &QPushButton::clicked, commands, &QAction::trigger);
  connect(url_, &QPushButton::clicked, this, [this] {
    QApplication::clipboard()->setText(engine_.url());
    url_->setText(tr("Copied"));
    QTimer::singleShot(kCopiedMs, this, [this] { url_->setText(engine_.url()); });
  });
  connect(&engine, &EngineController::state_changed, this, [this] {
    url_->setText(engine_.url());
    refresh();
  });
  connect(&engine, &EngineController::snapshot_ready, this, [this] {
    if (engine_.watched()) refresh();
  });
  connect(&jobs_->jobs(), &JobList::changed, this, &StatusBar::refresh);
  connect(&Theme::current(), &Theme::changed, this, [this] {
    refresh();
    update();
  });
  refresh();
}

JobList& StatusBar::jobs() {
  return jobs_->jobs();
}

TextLine* StatusBar::add_cell(QHBoxLayout* row) {
  auto* cell = new TextLine(this);
  row->addWidget(cell);
  cells_ << cell;
  return cell;
}

void StatusBar::refresh() {
  const EngineState state = engine_.state();
  const QString name = model_name(engine_.model_path());
  const QFontMetrics metrics(Theme::current().font(FontRole::small));
  const QString model = metrics.elidedText(name, Qt::ElideMiddle, width() / kModelShare);
  state_->setToolTip(model == name ? QString() : name);
  state_->set({{state_sign(state), FontRole::small, state_colour(state)},
               {state_word(state), FontRole::small, Colour::muted, true},
               {model}});
  const auto snapshot = engine_.snapshot();
  const bool serving = state == EngineState::serving && snapshot;
  for (QWidget* cell :
       {static_cast<QWidget*>(rate_), static_cast<QWidget*>(memory_), static_cast<QWidget*>(url_),
        static_cast<QWidget*>(run_), static_cast<QWidget*>(lap_)})
    cell->setVisible(serving);
  if (!serving) return;
  const QString here = QStringLiteral("%1");  // of the bold words
  rate_->set(with_bold(tr("%1 tok/s out"), rate_number(snapshot->output_tokens_per_s)));
  const LedgerSnapshot& ledger = snapshot->ledger;
  memory_->set(
      with_bold(ledger.limit > 0 ? tr("Memory %1 / %2").arg(here, bytes_text(ledger.limit)) : tr("Memory %1"),
                bytes_text(ledger.accounted())));
  url_->setAccessibleName(tr("Address %1").arg(engine_.url()));
  const QString elapsed = elapsed_text(snapshot->utc - snapshot->started_utc);
  if (snapshot->run.value > 0)
    run_->set(with_bold(tr("Run %1 recording, %2").arg(here, elapsed), run_name(snapshot->run.value)));
  else
    run_->set({{tr("Not recorded, %1").arg(elapsed)}});
  const auto laps = pitwall::laps(snapshot->changes, snapshot->first_lap);
  lap_->setVisible(!laps.empty());
  if (!laps.empty()) lap_->set({{tr("Lap %1").arg(laps.back().number)}});
  make_room();
}

/// A job keeps its name, share and time left: what is also on the Serve page gives way to it.
void StatusBar::make_room() {
  const QMargins margins = layout()->contentsMargins();
  int wanted = margins.left() + margins.right();
  for (int i = 0; i < layout()->count(); ++i) {
    const QWidget* one = layout()->itemAt(i)->widget();
    if (one != nullptr && !one->isHidden()) wanted += one->sizeHint().width() + layout()->spacing();
  }
  for (QWidget* cell :
       {static_cast<QWidget*>(url_), static_cast<QWidget*>(memory_), static_cast<QWidget*>(rate_)}) {
    if (jobs_->isHidden() || wanted <= width()) return;
    wanted -= cell->sizeHint().width() + layout()->spacing();
    cell->hide();
  }
}

void StatusBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  refresh();
}

/// Cells came, went or grew: the lines between them have moved.
bool StatusBar::event(QEvent* event) {
  const bool done = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest) update();
  return done;
}

void StatusBar::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.fillRect(rect(), theme.colour(Colour::panel));
  painter.fillRect(QRect(0, 0, width(), 1), theme.colour(Colour::border));
  for (qsizetype i = 1; i < cells_.size(); ++i)
    if (cells_[i]->isVisible()) {
      const int x = cells_[i]->geometry().left() - units(1.5);
      painter.fillRect(QRect(x, units(1.5), 1, height() - units(3)), theme.colour(Colour::border));
    }
}

}  // namespace pitwall::ui
