// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/memory_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/shell/theme.h"
#include "ui/widgets/number_format.h"
#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

constexpr double kMagnifyBelow = 0.4;  // share of the device under which the process gets a bar of its own
constexpr double kSmallest = 2;        // device-independent pixels of a segment that is not zero
constexpr int kMostColumns = 3;
constexpr double kColumnGap = 4;     // units
constexpr double kTolerance = 0.02;  // of the device, between what was planned and what is booked

QFont face(FontRole role, bool strong = false) {
  QFont font = Theme::current().font(role);
  if (strong) font.setWeight(QFont::DemiBold);
  return font;
}

bool is_others(const MemoryPart& part) {
  return part.colour == Colour::other_processes;
}

/// How the pool is used, and what is not ours, nobody plans.
bool is_planned(Colour colour) {
  switch (colour) {
    case Colour::kv_used:
    case Colour::kv_cached:
    case Colour::kv_quarantined:
    case Colour::kv_free:
    case Colour::other_processes:
    case Colour::unaccounted:
      return false;
    default:
      return true;
  }
}

QString amount_text(Bytes bytes) {
  return bytes == 0 ? QStringLiteral("0") : bytes_text(bytes);
}

/// Of a table's focus, left and right of its text.
int frame_room() {
  return units(0.75);
}

}  // namespace

MemoryBar::MemoryBar(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Memory bar"));
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MemoryBar::set_ledger(const LedgerSnapshot& ledger) {
  const bool was_magnified = magnified();
  ledger_ = ledger;
  parts_ = memory_parts(ledger);
  const QString said = summary();
  if (said == accessibleDescription()) return;  // what its words do not tell apart its pixels do not either
  setAccessibleDescription(said);
  if (magnified() != was_magnified) updateGeometry();
  update();
}

void MemoryBar::set_full(Bytes full) {
  full_ = full;
  update();
}

QString MemoryBar::summary() const {
  QStringList words;
  for (const MemoryPart& part : parts_)
    if (part.bytes != 0) words << part.name + QLatin1Char(' ') + bytes_text(part.bytes);
  QString text = listed(words);
  if (ledger_.limit > 0) text += tr("; limit %1").arg(bytes_text(ledger_.limit));
  if (ledger_.device_total > 0) text += tr("; device %1").arg(bytes_text(ledger_.device_total));
  return text;
}

QSize MemoryBar::sizeHint() const {
  const int line = QFontMetrics(face(FontRole::small)).height();
  return {units(120), line + units(0.75) + units(6) + line + units(1) + (magnified() ? units(5) : 0)};
}

QSize MemoryBar::minimumSizeHint() const {
  return {units(40), sizeHint().height()};
}

bool MemoryBar::magnified() const {
  const double taken = static_cast<double>(std::max(ledger_.measured, ledger_.accounted()));
  return ledger_.device_total <= 0 || taken < kMagnifyBelow * static_cast<double>(ledger_.device_total);
}

double MemoryBar::scale() const {
  if (!magnified()) return static_cast<double>(ledger_.device_total);
  return static_cast<double>(std::max({Bytes{1}, ledger_.measured, ledger_.accounted(), full_}));
}

QRectF MemoryBar::strip_rect() const {
  const int line = QFontMetrics(face(FontRole::small)).height();
  return {0, line + units(0.75) + 0.0, width() + 0.0, units(1.5) + 0.0};
}

QRectF MemoryBar::bar_rect() const {
  const double top = strip_rect().top() + (magnified() ? units(5) : 0);
  return {0, top, static_cast<double>(width()), static_cast<double>(units(6))};
}

std::vector<MemoryBar::Segment> MemoryBar::segments() const {
  std::vector<Segment> segments;
  const QRectF bar = bar_rect();
  double widest = 0, borrowed = 0;
  std::size_t widest_at = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].bytes <= 0 || (magnified() && is_others(parts_[i]))) continue;
    const double exact = static_cast<double>(parts_[i].bytes) / scale() * bar.width();
    const double wide = std::max(kSmallest, exact);
    borrowed += wide - exact;
    segments.push_back({i, QRectF(0, bar.top(), wide, bar.height())});
    if (wide > widest) {
      widest = wide;
      widest_at = segments.size() - 1;
    }
  }
  if (segments.empty()) return segments;
  segments[widest_at].rect.setWidth(std::max(kSmallest, widest - borrowed));
  double left = 0;
  for (Segment& segment : segments) {
    const double right = left + segment.rect.width();
    segment.rect.setLeft(std::round(left));
    segment.rect.setRight(std::max(std::round(left) + kSmallest, std::round(right)));
    left = right;
  }
  return segments;
}

void MemoryBar::draw_strip(QPainter& painter) const {
  const QRectF strip = strip_rect(), bar = bar_rect();
  const double full = static_cast<double>(ledger_.device_total);
  const double mine =
      static_cast<double>(std::max(ledger_.measured, ledger_.accounted())) / full * strip.width();
  const double others = static_cast<double>(ledger_.other_processes) / full * strip.width();
  const double end = std::max(kSmallest, mine);
  painter.fillRect(strip, ink(Colour::alt));
  fill_part(painter, QRectF(end, strip.top(), others, strip.height()),
            {{}, Colour::other_processes, FillPattern::dots, 1});
  painter.fillRect(QRectF(strip.left(), strip.top(), end, strip.height()), ink(Colour::text));
  painter.setPen(ink(Colour::border));
  painter.drawRect(strip.adjusted(0.5, 0.5, -0.5, -0.5));
  if (ledger_.limit > 0) {
    const double x = std::round(static_cast<double>(ledger_.limit) / full * strip.width());
    painter.fillRect(QRectF(x - 1, strip.top() - units(0.5), 2, strip.height() + units(1)), ink(Colour::bad));
  }
  // The wedge says: this part of the strip is all of the bar.
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ink(Colour::grid));
  const QPointF wedge[] = {
      strip.bottomLeft() + QPointF(0, 1), {end, strip.bottom() + 1}, bar.topRight(), bar.topLeft()};
  painter.drawPolygon(wedge, 4);
  painter.setBrush(Qt::NoBrush);
  painter.setRenderHint(QPainter::Antialiasing, false);

  painter.setFont(face(FontRole::small));
  painter.setPen(ink(Colour::muted));
  const QRectF above(0, 0, width(), strip.top() - units(0.5));
  const QFontMetricsF metrics(painter.font());
  const QString own = tr("This process, %1 of the device").arg(percent_text(mine / strip.width()));
  painter.drawText(above, Qt::AlignLeft | Qt::AlignVCenter, own);
  const QString device = tr("device %1").arg(bytes_text(ledger_.device_total));
  painter.drawText(above, Qt::AlignRight | Qt::AlignVCenter, device);
  if (ledger_.limit <= 0) return;
  painter.setPen(ink(Colour::bad));
  const QString limit = tr("limit %1").arg(bytes_text(ledger_.limit));
  const double limit_end = above.right() - metrics.horizontalAdvance(device) - units(3);
  if (limit_end - metrics.horizontalAdvance(limit) < above.left() + metrics.horizontalAdvance(own) + units(3))
    return;  // the line marks it, and there is no room to name it
  painter.drawText(QRectF(above.left(), above.top(), limit_end - above.left(), above.height()),
                   Qt::AlignRight | Qt::AlignVCenter, limit);
}

void MemoryBar::draw_limit(QPainter& painter, const QRectF& bar, double full) const {
  const double x = std::round(static_cast<double>(ledger_.limit) / full * bar.width());
  if (x > bar.right()) return;
  painter.fillRect(QRectF(x - 1, bar.top() - units(0.75), 2, bar.height() + units(1.5)), ink(Colour::bad));
  painter.setFont(face(FontRole::small, true));
  painter.setPen(ink(Colour::bad));
  const QString label = tr("limit %1").arg(bytes_text(ledger_.limit));
  const double wide = painter.fontMetrics().horizontalAdvance(label);
  const double left = std::clamp(x - wide / 2, 0.0, bar.width() - wide);
  const double line = painter.fontMetrics().height();
  painter.drawText(QRectF(left, bar.top() - line - units(0.75), wide, line), Qt::AlignCenter, label);
}

void MemoryBar::draw_labels(QPainter& painter, const std::vector<Segment>& segments) const {
  const QFont inside = face(FontRole::small, true), below = face(FontRole::small);
  double free_from = 0;
  for (const Segment& segment : segments) {
    const MemoryPart& part = parts_[segment.part];
    const QString label = part.name + QLatin1Char(' ') + bytes_text(part.bytes);
    const double wide = QFontMetrics(inside).horizontalAdvance(label) + units(2);
    if (wide < segment.rect.width()) {
      const QRectF text(segment.rect.center().x() - wide / 2, segment.rect.top() + units(1), wide,
                        segment.rect.height() - units(2));
      painter.fillRect(text, ink(part.colour));
      painter.setFont(inside);
      painter.setPen(ink_on(part.colour));
      painter.drawText(text, Qt::AlignCenter, label);
      continue;
    }
    const bool wants_leader = part.colour == Colour::kv_used || part.colour == Colour::kv_quarantined;
    if (!wants_leader || segment.rect.center().x() < free_from) continue;
    painter.setFont(below);
    painter.setPen(ink(Colour::muted));
    const double x = std::round(segment.rect.center().x()) + 0.5, y = segment.rect.bottom();
    const double middle = y + QFontMetrics(below).height() / 2.0 + units(0.5);
    const double label_wide = QFontMetrics(below).horizontalAdvance(label);
    const bool left_side = x + units(2.5) + label_wide > width();
    const double side = left_side ? -1 : 1;
    painter.drawLine(QPointF(x, y + 1), QPointF(x, middle));
    painter.drawLine(QPointF(x, middle), QPointF(x + side * units(1.5), middle));
    const double left = left_side ? x - units(2) - label_wide : x + units(2);
    painter.drawText(QRectF(left, y + units(0.5), label_wide + 1, QFontMetrics(below).height()),
                     Qt::AlignCenter, label);
    free_from = left + label_wide + units(2);
  }
}

void MemoryBar::paintEvent(QPaintEvent*) {
  if (parts_.empty()) return;
  QPainter painter(this);
  const QRectF bar = bar_rect();
  painter.fillRect(bar, ink(Colour::alt));
  painter.setPen(ink(Colour::border));
  painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
  const std::vector<Segment> shown = segments();
  for (const Segment& segment : shown) fill_part(painter, segment.rect, parts_[segment.part]);
  draw_labels(painter, shown);
  if (magnified() && ledger_.device_total > 0) draw_strip(painter);
  if (ledger_.limit > 0 && !magnified()) draw_limit(painter, bar, scale());
  painter.setFont(face(FontRole::small));
  painter.setPen(ink(Colour::muted));
  if (!magnified())
    painter.drawText(QRectF(0, bar.bottom() + units(0.5), width(), painter.fontMetrics().height()),
                     Qt::AlignRight | Qt::AlignVCenter,
                     tr("device %1").arg(bytes_text(ledger_.device_total)));
}

bool MemoryBar::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    for (const Segment& segment : segments())
      if (segment.rect.contains(help->pos())) {
        const MemoryPart& part = parts_[segment.part];
        QToolTip::showText(
            help->globalPos(),
            tr("%1: %2, %3 bytes").arg(part.name, bytes_text(part.bytes), count_text(part.bytes)), this);
        return true;
      }
    QToolTip::hideText();
  }
  return QWidget::event(event);
}

MemoryTable::MemoryTable(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Memory by category"));
  connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MemoryTable::set_ledger(const LedgerSnapshot& ledger) {
  ledger_ = ledger;
  fill();
}

void MemoryTable::set_planned(const std::optional<std::array<Bytes, kCategoryCount>>& planned) {
  planned_ = planned;
  fill();
}

void MemoryTable::fill() {
  rows_.clear();
  for (MemoryPart& part : memory_parts(ledger_)) rows_.push_back({std::move(part), std::nullopt});
  if (planned_) {
    LedgerSnapshot plan;
    plan.bytes = *planned_;
    plan.swap_apart = ledger_.swap_apart;
    const std::vector<MemoryPart> planned = memory_parts(plan);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (is_planned(rows_[i].part.colour)) rows_[i].planned = planned[i].bytes;
  }
  std::vector<Figures> figures;
  for (const Row& row : rows_) figures.push_back(figures_of(row));
  if (figures == figures_) return;
  figures_ = std::move(figures);
  QStringList words;
  for (const Row& row : rows_)
    words << row.part.name + QLatin1Char(' ') + bytes_text(row.part.bytes) +
                 (row.planned ? tr(" (planned %1)").arg(bytes_text(*row.planned)) : QString());
  setAccessibleDescription(listed(words));
  widen_figures();
  if (columns() != columns_) resizeEvent(nullptr);
  update();
}

MemoryTable::Figures MemoryTable::figures_of(const Row& row) const {
  Figures figures{row.part.name, no_value(), amount_text(row.part.bytes), no_value()};
  if (!row.planned) return figures;
  const Bytes difference = row.part.bytes - *row.planned;
  figures.planned = amount_text(*row.planned);
  figures.far = too_far(difference);
  figures.difference = (figures.far ? QStringLiteral("△ ") : QString()) + signed_bytes_text(difference);
  return figures;
}

/// Usual amounts take the same room, so that figures which change in place stay in place.
void MemoryTable::widen_figures() {
  const QFontMetrics metrics(face(FontRole::small, true));
  const auto widen = [&](FigureColumn column, const QString& text) {
    int& width = widths_[static_cast<std::size_t>(column)];
    width = std::max(width, metrics.horizontalAdvance(text) + units(2));
  };
  widths_.fill(0);
  for (const FigureColumn column : {kPlanned, kBooked}) widen(column, QStringLiteral("0.00 GiB"));
  widen(kPlanned, tr("Planned"));
  widen(kBooked, tr("Booked"));
  widen(kDifference, tr("Diff"));
  for (const Figures& figures : figures_) {
    widen(kPlanned, figures.planned);
    widen(kBooked, figures.booked);
    widen(kDifference, figures.difference);
  }
}

/// What the figures from that column on take at the right end.
int MemoryTable::figure_room(int from) const {
  return std::accumulate(widths_.begin() + from, widths_.end(), 0);
}

QString MemoryTable::to_csv() const {
  QString csv = QStringLiteral("category,planned_bytes,booked_bytes\n");
  for (const Row& row : rows_)
    csv += QStringLiteral("%1,%2,%3\n")
               .arg(row.part.name, row.planned ? QString::number(*row.planned) : QString())
               .arg(row.part.bytes);
  return csv;
}

int MemoryTable::row_height() const {
  return units(5.25);
}

bool MemoryTable::too_far(Bytes difference) const {
  const double tolerated = kTolerance * static_cast<double>(ledger_.device_total);
  return std::abs(static_cast<double>(difference)) > tolerated;
}

/// As many as leave room for the longest name beside its figures.
int MemoryTable::columns() const {
  const QFontMetrics metrics(face(FontRole::small));
  int name = 0;
  for (const Row& row : rows_) name = std::max(name, metrics.horizontalAdvance(row.part.name));
  const int least = units(4) + name + units(1) + figure_room(kPlanned), gap = units(kColumnGap);
  return std::clamp((width() - 2 * frame_room() + gap) / (least + gap), 1, kMostColumns);
}

int MemoryTable::rows_of_column() const {
  return std::max(1, (static_cast<int>(rows_.size()) + columns_ - 1) / columns_);
}

void MemoryTable::resizeEvent(QResizeEvent*) {
  if (columns() == columns_) return;
  columns_ = columns();
  updateGeometry();
}

QSize MemoryTable::sizeHint() const {
  return {units(120), (rows_of_column() + 1) * row_height()};
}
QSize MemoryTable::minimumSizeHint() const {
  return {units(60), sizeHint().height()};
}

void MemoryTable::draw_row(QPainter& painter, const QRect& line, const Row& row,
                           const Figures& figures) const {
  const double swatch = units(2.75);
  fill_part(painter,
            QRectF(line.left(), line.top() + std::floor((line.height() - swatch) / 2), swatch, swatch),
            row.part);
  painter.setFont(face(FontRole::small));
  painter.setPen(ink(Colour::text));
  painter.drawText(line.translated(units(4), 0), Qt::AlignLeft | Qt::AlignVCenter, figures.name);
  painter.setPen(ink(Colour::muted));
  painter.drawText(line.adjusted(0, 0, -figure_room(kBooked), 0), Qt::AlignRight | Qt::AlignVCenter,
                   figures.planned);
  if (figures.far) painter.setPen(ink(Colour::warn));
  painter.setFont(face(FontRole::small, figures.far));
  painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, figures.difference);
  painter.setPen(ink(Colour::text));
  painter.setFont(face(FontRole::small, row.part.bytes != 0));
  painter.drawText(line.adjusted(0, 0, -figure_room(kDifference), 0), Qt::AlignRight | Qt::AlignVCenter,
                   figures.booked);
}

void MemoryTable::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (rows_.empty()) return;
  const int lines = rows_of_column(), gap = units(kColumnGap);
  const int wide = (width() - 2 * frame_room() - gap * (columns_ - 1)) / columns_;
  for (int column = 0; column < columns_; ++column) {
    const QRect head(frame_room() + (wide + gap) * column, 0, wide, row_height());
    painter.setFont(face(FontRole::small, true));
    painter.setPen(ink(Colour::muted));
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, tr("Category"));
    painter.drawText(head.adjusted(0, 0, -figure_room(kBooked), 0), Qt::AlignRight | Qt::AlignVCenter,
                     tr("Planned"));
    painter.drawText(head.adjusted(0, 0, -figure_room(kDifference), 0), Qt::AlignRight | Qt::AlignVCenter,
                     tr("Booked"));
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, tr("Diff"));
    painter.setPen(ink(Colour::border));
    painter.drawLine(head.bottomLeft(), head.bottomRight());
    for (int row = 0; row < lines; ++row) {
      const auto index = static_cast<std::size_t>(column * lines + row);
      if (index >= rows_.size()) break;
      const QRect line = head.translated(0, (row + 1) * row_height());
      draw_row(painter, line, rows_[index], figures_[index]);
      if (row + 1 == lines) break;
      painter.setPen(ink(Colour::grid));
      painter.drawLine(line.bottomLeft(), line.bottomRight());
    }
  }
  if (hasFocus()) {
    painter.setPen(QPen(ink(Colour::accent), 2));
    painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
  }
}

void MemoryTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return QApplication::clipboard()->setText(to_csv());
  QWidget::keyPressEvent(event);
}

}  // namespace pitwall::ui
