// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chat/timings_strip.h"

#include <QPainter>
#include <cmath>

#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

QFont value_font() {
  QFont font = Theme::current().font(FontRole::small);
  font.setWeight(QFont::DemiBold);
  return font;
}

}  // namespace

std::vector<TimingCell> timing_cells(const ReplyTimings& timings) {
  const RequestRecord& record = timings.record;
  std::vector<TimingCell> cells;
  const auto add_ms = [&cells](const QString& name, double ms) {
    if (!std::isnan(ms)) cells.push_back({name, ms_text(ms)});
  };
  add_ms(TimingsStrip::tr("queue"), record.queue_ms());
  add_ms(TimingsStrip::tr("TTFT"), record.ttft_ms());
  add_ms(TimingsStrip::tr("TPOT"), record.tpot_ms());
  if (std::isnan(timings.itl_p99_ms)) {
    add_ms(TimingsStrip::tr("worst ITL"), record.max_itl_ms());
  } else {
    add_ms(TimingsStrip::tr("ITL p99"), timings.itl_p99_ms);
  }
  cells.push_back({TimingsStrip::tr("out"), count_text(record.output_tokens)});
  cells.push_back(
      {TimingsStrip::tr("cached"),
       TimingsStrip::tr("%1 of %2").arg(count_text(record.cached_tokens), count_text(record.prompt_tokens))});
  cells.push_back({TimingsStrip::tr("preempted"), count_text(record.preemptions)});
  if (record.finish == FinishReason::length)
    cells.push_back({TimingsStrip::tr("ended at"), TimingsStrip::tr("length limit")});
  if (timings.left_out_messages > 0)
    cells.push_back({TimingsStrip::tr("messages left out"), count_text(timings.left_out_messages)});
  if (timings.left_out_characters > 0)
    cells.push_back({TimingsStrip::tr("characters left out"), count_text(timings.left_out_characters)});
  return cells;
}

TimingsStrip::TimingsStrip(QWidget* parent) : QAbstractButton(parent) {
  setObjectName(QStringLiteral("chat.timings"));
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setAccessibleDescription(tr("Shows the steps of this request on Serve"));
  setToolTip(
      tr("Queue: arrival to first step. TTFT: arrival to first token. TPOT: mean time per further token. "
         "ITL: gap between two tokens; its p99 needs 100 of them. Cached: prompt tokens that were not "
         "computed again. A click shows the steps of this request on Serve."));
  connect(&Theme::current(), &Theme::changed, this, &QWidget::updateGeometry);
}

void TimingsStrip::set_cells(std::vector<TimingCell> cells) {
  cells_ = std::move(cells);
  QStringList words;
  for (const TimingCell& cell : cells_) words << cell.name + QLatin1Char(' ') + cell.value;
  setAccessibleName(tr("Timings: %1").arg(listed(words)));
  setVisible(!cells_.empty());
  updateGeometry();
  update();
}

int TimingsStrip::cell_width(const TimingCell& cell) const {
  return QFontMetrics(Theme::current().font(FontRole::small)).horizontalAdvance(cell.name) + units(1) +
         QFontMetrics(value_font()).horizontalAdvance(cell.value) + units(5);
}

std::vector<QRect> TimingsStrip::layout(int width) const {
  std::vector<QRect> rects;
  int x = 0, y = 0;
  for (const TimingCell& cell : cells_) {
    const int wide = cell_width(cell);
    if (x > 0 && x + wide > width) {
      x = 0;
      y += units(6);
    }
    rects.emplace_back(x, y, wide, units(6));
    x += wide;
  }
  return rects;
}

int TimingsStrip::heightForWidth(int width) const {
  return cells_.empty() ? 0 : layout(width).back().bottom() + 1;
}

QSize TimingsStrip::sizeHint() const {
  int width = 0;
  for (const TimingCell& cell : cells_) width += cell_width(cell);
  return {width, cells_.empty() ? 0 : units(6)};
}

/// The height for a width is asked for where it matters; this one must not depend on the width of the moment.
QSize TimingsStrip::minimumSizeHint() const {
  return {units(30), cells_.empty() ? 0 : units(6)};
}

void TimingsStrip::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.colour(Colour::border), 1));
  painter.setBrush(theme.colour(Colour::alt));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.u() / 2, theme.u() / 2);
  painter.setRenderHint(QPainter::Antialiasing, false);
  const std::vector<QRect> rects = layout(width());
  for (std::size_t i = 0; i < rects.size(); ++i) {
    const QRect& rect = rects[i];
    if (rect.left() > 0)
      painter.fillRect(rect.left(), rect.top() + 1, 1, rect.height() - 2, theme.colour(Colour::border));
    painter.setFont(theme.font(FontRole::small));
    painter.setPen(theme.colour(Colour::muted));
    const QRect inner = rect.adjusted(units(2.5), 0, 0, 0);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, cells_[i].name);
    const int name_width = painter.fontMetrics().horizontalAdvance(cells_[i].name);
    painter.setFont(value_font());
    painter.setPen(theme.colour(Colour::text));
    painter.drawText(inner.adjusted(name_width + units(1), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     cells_[i].value);
  }
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.colour(Colour::accent), 2));
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

}  // namespace pitwall::ui
