// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/serve/figures.h"

#include <QEvent>
#include <QGridLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <cmath>

#include "ui/serve/goodput_card.h"
#include "ui/shell/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/text_line.h"

namespace pitwall::ui {

namespace {

constexpr double kNotableIdle = 1;     // percent
constexpr double kStutterFactor = 10;  // a largest gap above this many medians is worth the eye

}  // namespace

FigureStrip::FigureStrip(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("serve.figures"));
  setAccessibleName(tr("Figures"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  grid_ = new QGridLayout(this);
  grid_->setContentsMargins(units(1), units(1.5), units(1), units(1.5));
  grid_->setHorizontalSpacing(0);
  grid_->setVerticalSpacing(units(2));
  running_ = add(tr("Running"), tr("Sequences in the batch, of those that may run at once."));
  waiting_ = add(tr("Waiting"), tr("Requests in the queue."));
  output_ = add(tr("Output"), tr("Tokens generated, over the last 2 s. Idle: share of their steps' time in "
                                 "which the device waited although there was work."));
  prompt_ = add(tr("New prompt tokens"), tr("Prompt tokens computed, over the last 2 s."));
  ttft_ = add(tr("TTFT p50"), tr("Time to first token, over the last 2 min."));
  itl_ = add(tr("ITL p50 / p99"), tr("Gap between two tokens of a stream, over the last 2 min."));
  goodput_ =
      add(tr("Goodput"), tr("Requests that met all objectives, of the last 200 that ended in this lap."));
  prefix_ =
      add(tr("Prefix hits"), tr("Prompt tokens found in the prefix cache, of the last 1,000 requests."));
  preemptions_ = add(tr("Preemptions"), tr("Sequences that had to give their KV blocks back."));
  arrange(1);
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

int FigureStrip::needed_width() const {
  int wide = grid_->contentsMargins().left() + grid_->contentsMargins().right();
  for (const Cell& cell : cells_) wide += cell.box->sizeHint().width();
  return wide;
}

void FigureStrip::arrange(int rows) {
  if (rows == rows_) return;
  rows_ = rows;
  const auto count = static_cast<int>(cells_.size()), columns = (count + rows - 1) / rows;
  for (int i = 0; i < count; ++i) {
    QWidget* box = cells_[static_cast<std::size_t>(i)].box;
    grid_->removeWidget(box);
    const int column = i % columns, span = i + 1 == count ? columns - column : 1;
    grid_->addWidget(box, i / columns, column, 1, span);
  }
  update();
}

/// Where its cells have moved, its lines between them have too.
bool FigureStrip::event(QEvent* event) {
  const bool done = QFrame::event(event);
  if (event->type() == QEvent::LayoutRequest) update();
  return done;
}

void FigureStrip::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  arrange(needed_width() > width() ? 2 : 1);
}

std::size_t FigureStrip::add(const QString& name, const QString& tip) {
  auto* box = new QWidget(this);
  box->setToolTip(tip);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(units(2), 0, units(2), 0);
  column->setSpacing(0);
  column->addWidget(new Label(name, FontRole::small, Colour::muted, box));
  auto* line = new TextLine(box);
  column->addWidget(line);
  box->setAccessibleName(name);
  cells_.push_back({box, line});
  return cells_.size() - 1;
}

void FigureStrip::set(std::size_t index, const QString& value, const QString& unit, const QString& alert) {
  const Cell& cell = cells_[index];
  cell.line->set({{value, FontRole::figure, Colour::text},
                  {unit, FontRole::small, Colour::muted, false, true},
                  {alert, FontRole::small, Colour::bad}});
  cell.box->setAccessibleDescription(QStringLiteral("%1 %2 %3").arg(value, unit, alert).trimmed());
}

void FigureStrip::show_snapshot(const Snapshot& snapshot, const Objectives& objectives) {
  set(running_, count_text(snapshot.running), tr("of %1").arg(snapshot.max_num_seqs));
  set(waiting_, count_text(snapshot.waiting), {});
  set(output_, rate_number(snapshot.output_tokens_per_s),
      std::isfinite(snapshot.idle_percent) && snapshot.idle_percent >= kNotableIdle
          ? tr("tok/s, idle %1 %").arg(three_digits(snapshot.idle_percent))
          : tr("tok/s"));
  set(prompt_, rate_number(snapshot.prompt_tokens_per_s), tr("tok/s"));
  const auto with_unit = [this](std::size_t cell, double ms) {
    const bool seconds = ms >= 999.5;
    set(cell, three_digits(seconds ? ms / 1000 : ms),
        std::isfinite(ms) ? (seconds ? tr("s") : tr("ms")) : QString());
  };
  with_unit(ttft_, snapshot.ttft.p50);
  const Percentiles& itl = snapshot.itl;
  const QString p99 = itl.n >= kSamplesForP99 ? ms_number(itl.p99) : no_value();
  const bool stutter = itl.n >= kSamplesForP99 && itl.max > kStutterFactor * itl.p50;
  const QString largest = itl.n > 0 ? ms_number(itl.max) : QString();
  set(itl_, ms_number(itl.p50) + QStringLiteral(" / ") + p99,
      itl.n == 0 ? QString()
      : stutter  ? tr("ms, max")
                 : tr("ms, max %1").arg(largest),
      stutter ? largest : QString());
  const Goodput goodput = goodput_of(snapshot, objectives);
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return percent_text(static_cast<double>(part) / static_cast<double>(whole));
  };
  if (!objectives.any())
    set(goodput_, no_value(), tr("no objectives"));
  else if (goodput.requests == 0)
    set(goodput_, no_value(), tr("in lap %1").arg(goodput.lap));
  else
    set(goodput_, share(goodput.good, goodput.requests), tr("in lap %1").arg(goodput.lap));
  if (snapshot.recent_query_tokens == 0)
    set(prefix_, no_value(), {});
  else
    set(prefix_, share(snapshot.recent_hit_tokens, snapshot.recent_query_tokens), tr("of prompt tokens"));
  set(preemptions_, count_text(snapshot.totals.preemptions), tr("since start"));
  if (needed_width() > width()) arrange(2);  // and stays: figures change in place
}

void FigureStrip::show_ended(bool ended) {
  for (const Cell& cell : cells_) cell.line->set_muted(ended);
  setAccessibleDescription(ended ? tr("The engine has stopped: these are its last figures.") : QString());
}

void FigureStrip::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme.colour(Colour::border));
  painter.setBrush(theme.colour(Colour::panel));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.u(), theme.u());
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (const Cell& cell : cells_) {
    const QRect box = cell.box->geometry();
    const QRect& first = cells_.front().box->geometry();
    const int gap = box.top() == first.top() ? box.top() - 1 : grid_->verticalSpacing() / 2;
    if (box.left() > first.left())
      painter.drawLine(box.left(), box.top() - gap, box.left(), box.bottom() + gap);
    else if (box.top() > first.top())
      painter.drawLine(1, box.top() - gap, width() - 2, box.top() - gap);
  }
}

}  // namespace pitwall::ui
