// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plan/rank_bars_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/widgets/number_format.h"

namespace pitwall::ui {

namespace {

constexpr double kSmallest = 2;  // pixels of a segment that is not zero
const QString kBetween = QStringLiteral(" · ");

QFont face(bool strong) {
  QFont font = Theme::current().font(FontRole::small);
  if (strong) font.setWeight(QFont::DemiBold);
  return font;
}

bool same_ranks(const DeploymentPlan& plan) {
  return std::all_of(plan.ranks.begin(), plan.ranks.end(), [&](const RankPlan& rank) {
    return rank.bytes == plan.ranks.front().bytes && rank.kv_needed == plan.ranks.front().kv_needed &&
           rank.limit == plan.ranks.front().limit;
  });
}

/// The worst first, then by how little is left.
std::vector<std::size_t> ranks_by_room(const DeploymentPlan& plan) {
  std::vector<std::size_t> order(plan.ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto worst = static_cast<std::size_t>(plan.worst);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (a == worst || b == worst) return a == worst && b != worst;
    return plan.ranks[a].kv_short() > plan.ranks[b].kv_short();
  });
  return order;
}

QString ranks_text(const RankBarEntry& entry, std::size_t rank, bool unfolded, bool first) {
  const auto count = static_cast<int>(entry.plan->ranks.size());
  if (count == 1) return RankBarsView::tr("one rank");
  if (same_ranks(*entry.plan)) return RankBarsView::tr("each of %1 ranks").arg(count);
  const int number = entry.plan->ranks[rank].rank;
  if (!first) return RankBarsView::tr("rank %1").arg(number);
  return RankBarsView::tr("%1 rank %2, worst of %3")
      .arg(unfolded ? QStringLiteral("▾") : QStringLiteral("▸"))
      .arg(number)
      .arg(count);
}

QString detail_text(const DeploymentPlan& plan, const RankPlan& rank) {
  QStringList words{RankBarsView::tr("total %1").arg(gib_number(rank.total()))};
  const QString pool = RankBarsView::tr("KV pool %1").arg(gib_number(rank.of(Category::kv)));
  words << (plan.kv_tokens > 0 ? RankBarsView::tr("%1 = %2 tokens").arg(pool, count_text(plan.kv_tokens))
                               : pool);
  words << (rank.kv_short() > 0 && !waits_for_slots(plan)
                ? RankBarsView::tr("needed %1").arg(gib_number(rank.kv_needed))
                : RankBarsView::tr("%1 requests at p95 need %2")
                      .arg(
                          count_text(plan.asked.requests > 0 ? plan.asked.requests : plan.asked.max_num_seqs),
                          gib_number(rank.kv_needed)));
  return words.join(kBetween);
}

/// As many of its parts as are that wide together.
QString parts_within(const QString& text, const QFontMetricsF& metrics, double width) {
  QString begun = text;
  while (metrics.horizontalAdvance(begun) > width) {
    const auto end = begun.lastIndexOf(kBetween);
    if (end < 0) return {};
    begun.truncate(end);
  }
  return begun;
}

}  // namespace

QRectF label_rect(const QRectF& segment, double label_width, double limit_x) {
  QRectF room = segment;
  if (std::abs(limit_x - segment.center().x()) < label_width / 2 + units(1)) {
    if (limit_x > segment.center().x())
      room.setRight(limit_x - units(1));
    else
      room.setLeft(limit_x + units(1));
  }
  if (label_width >= room.width()) return {};
  return {room.center().x() - label_width / 2, segment.top() + units(0.75), label_width,
          segment.height() - units(1.5)};
}

RankBarsView::RankBarsView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&Theme::current(), &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

void RankBarsView::set_entries(const std::vector<RankBarEntry>* entries) {
  entries_ = entries;
  updateGeometry();
  update();
}

double RankBarsView::line_height() const {
  return units(6.5) + QFontMetrics(face(false)).height() + units(2.5);
}

double RankBarsView::bar_left() const {
  const QFontMetricsF metrics(face(true)), plain(face(false));
  double widest = units(20);
  if (entries_ != nullptr)
    for (const RankBarEntry& entry : *entries_) {
      widest = std::max(widest, metrics.horizontalAdvance(entry.title));
      widest = std::max(widest, plain.horizontalAdvance(ranks_text(entry, 0, false, true)));
    }
  return std::min(widest, 0.3 * width()) + units(5);
}

double RankBarsView::scale() const {
  Bytes largest = 1;
  for (const Line& line : lines()) {
    const RankPlan& rank = line.entry->plan->ranks[line.rank];
    largest = std::max({largest, rank.device_total, rank.total() + rank.other_processes});
  }
  return (width() - bar_left() - units(9)) / static_cast<double>(largest);
}

std::vector<RankBarsView::Line> RankBarsView::lines() const {
  std::vector<Line> lines;
  if (entries_ == nullptr) return lines;
  double top = units(1);  // for the limit's mark, which stands out of its bar
  const auto add = [&](Line line) {
    line.top = top;
    lines.push_back(line);
    top += line_height();
  };
  for (const RankBarEntry& entry : *entries_) {
    const std::vector<std::size_t> order = ranks_by_room(*entry.plan);
    add({&entry, order.front()});
    if (entry.measured) add({&entry, order.front(), false, true});
    if (!unfolded_.contains(entry.key) || same_ranks(*entry.plan)) continue;
    for (std::size_t i = 1; i < order.size(); ++i) add({&entry, order[i], false});
  }
  return lines;
}

QSize RankBarsView::sizeHint() const {
  return {units(150), static_cast<int>(std::ceil(std::max<double>(1, static_cast<double>(lines().size())) *
                                                 line_height())) +
                          units(1)};
}

QSize RankBarsView::minimumSizeHint() const {
  return {units(60), sizeHint().height()};
}

QRectF RankBarsView::bar_rect(const Line& line) const {
  const auto total = static_cast<double>(line.entry->plan->ranks[line.rank].device_total);
  return {bar_left(), line.top + units(0.5), std::round(total * scale()), static_cast<double>(units(6))};
}

std::vector<MemoryPart> RankBarsView::parts_of(const Line& line) const {
  return line.measured ? memory_parts(line.entry->measured->ledger)
                       : planned_parts(line.entry->plan->ranks[line.rank]);
}

std::vector<RankBarsView::Segment> RankBarsView::segments(const Line& line) const {
  std::vector<Segment> segments;
  const QRectF bar = bar_rect(line);
  double left = bar.left();
  for (const MemoryPart& part : parts_of(line)) {
    if (part.bytes <= 0) continue;
    const double right = left + static_cast<double>(part.bytes) * scale();
    const double from = std::round(left);
    segments.push_back(
        {part, {from, bar.top(), std::max(kSmallest, std::round(right) - from), bar.height()}});
    left = std::max(right, from + kSmallest);
  }
  return segments;
}

void RankBarsView::draw_name(QPainter& painter, const Line& line) const {
  const QFontMetrics metrics(face(true));
  const QRectF box(units(2), line.top + units(0.25), bar_left() - units(4), metrics.height());
  const auto say = [&](const QRectF& where, const QString& text, bool strong, Colour colour) {
    painter.setFont(face(strong));
    painter.setPen(ink(colour));
    painter.drawText(where, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(where.width())));
  };
  const QRectF second = box.translated(0, metrics.height());
  if (line.measured) {
    say(box, tr("Measured"), true, Colour::text);
    say(second, line.entry->measured->source, false, Colour::muted);
    return;
  }
  if (line.first) {
    if (line.entry->subject)
      painter.fillRect(QRectF(0, line.top + units(0.25), units(0.75), 2 * metrics.height()),
                       ink(Colour::accent));
    say(box, line.entry->title, true, Colour::text);
  }
  say(line.first ? second : box,
      ranks_text(*line.entry, line.rank, unfolded_.contains(line.entry->key), line.first), false,
      Colour::muted);
}

/// Returns where its label stands.
QRectF RankBarsView::draw_limit(QPainter& painter, const Line& line) const {
  const RankPlan& rank = line.entry->plan->ranks[line.rank];
  const QRectF bar = bar_rect(line);
  const double x = limit_x(line);
  const QRectF mark(x - 1, bar.top() - units(1), 2, bar.height() + units(2));
  painter.fillRect(mark.adjusted(-1.5, 0, 1.5, 0), ink(Colour::panel));  // apart from a segment behind it
  painter.fillRect(mark, ink(Colour::bad));
  painter.setFont(face(true));
  painter.setPen(ink(Colour::bad));
  const QString label = tr("limit %1").arg(gib_number(rank.limit));
  const double wide = painter.fontMetrics().horizontalAdvance(label) + 1;
  const QRectF words(std::min(x - wide / 2, width() - wide), bar.bottom() + units(1), wide,
                     painter.fontMetrics().height());
  painter.drawText(words, Qt::AlignCenter, label);
  return words;
}

/// Below the bar before or behind the limit's label, or in two lines beside all that is drawn.
void RankBarsView::draw_caption(QPainter& painter, const Line& line, const QRectF& limit_label) const {
  const Caption caption = caption_of(line);
  const QRectF bar = bar_rect(line);
  const QFontMetricsF strong_metrics(face(true)), plain_metrics(face(false));
  const double height = plain_metrics.height();
  const double strong_wide =
      caption.strong.isEmpty() ? 0 : strong_metrics.horizontalAdvance(caption.strong) + units(3);
  const double wide = strong_wide + plain_metrics.horizontalAdvance(caption.plain);
  const auto say = [&](const QRectF& where, const QString& text, bool heavy, Colour ink_of) {
    painter.setFont(face(heavy));
    painter.setPen(ink(ink_of));
    painter.drawText(where, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(where.width())));
  };
  const double top = bar.bottom() + units(1), gap = units(2);
  const QRectF before(bar.left(), top, limit_label.left() - gap - bar.left(), height);
  const QRectF behind(limit_label.right() + gap, top, width() - limit_label.right() - gap, height);
  const double beside_left = std::max(drawn_right(line), limit_x(line) + units(1)) + gap;
  const QRectF beside(beside_left, bar.center().y() - (caption.strong.isEmpty() ? height / 2 : height),
                      width() - beside_left, height);
  if (wide > before.width() && std::max(strong_wide, wide - strong_wide) <= beside.width()) {
    say(beside, caption.strong, true, caption.colour);
    return say(caption.strong.isEmpty() ? beside : beside.translated(0, height), caption.plain, false,
               Colour::muted);
  }
  const QRectF below = wide <= before.width() || before.width() > behind.width() ? before : behind;
  say({below.left(), top, std::min(strong_wide, below.width()), height}, caption.strong, true,
      caption.colour);
  const QRectF left = below.adjusted(strong_wide, 0, 0, 0);
  const QString begun = parts_within(caption.plain, plain_metrics, left.width());
  say(left, begun, false, Colour::muted);
  if (below == before)  // what is left goes on behind the label
    say(behind, caption.plain.mid(begun.isEmpty() ? 0 : begun.size() + kBetween.size()), false,
        Colour::muted);
}

RankBarsView::Caption RankBarsView::caption_of(const Line& line) const {
  const DeploymentPlan& plan = *line.entry->plan;
  const RankPlan& rank = plan.ranks[line.rank];
  if (line.measured)
    return {difference_text(plan, *line.entry->measured),
            tr("total %1, planned %2")
                .arg(gib_number(line.entry->measured->ledger.accounted()), gib_number(rank.total())),
            Colour::warn};
  return {line.first ? shortage_text(plan) : QString(), detail_text(plan, rank),
          plan.verdict == Verdict::fails ? Colour::bad : Colour::warn};
}

double RankBarsView::limit_x(const Line& line) const {
  const RankPlan& rank = line.entry->plan->ranks[line.rank];
  return std::round(bar_left() + static_cast<double>(rank.limit) * scale());
}

/// Of the device, or of what goes beyond it.
double RankBarsView::drawn_right(const Line& line) const {
  const std::vector<Segment> drawn = segments(line);
  const double device = bar_rect(line).right();
  return drawn.empty() ? device : std::max(device, drawn.back().rect.right());
}

void RankBarsView::draw_line(QPainter& painter, const Line& line) const {
  const QRectF bar = bar_rect(line);
  painter.fillRect(bar, ink(Colour::alt));
  painter.setPen(ink(Colour::border));
  painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
  for (const Segment& segment : segments(line)) {
    fill_part(painter, segment.rect, segment.part);
    const QString label = segment.part.name + QLatin1Char(' ') + gib_number(segment.part.bytes);
    painter.setFont(face(true));
    const double wide = painter.fontMetrics().horizontalAdvance(label) + units(2);
    const QRectF text = label_rect(segment.rect, wide, limit_x(line));
    if (text.isEmpty()) continue;
    painter.fillRect(text, ink(segment.part.colour));
    painter.setPen(ink_on(segment.part.colour));
    painter.drawText(text, Qt::AlignCenter, label);
  }
  draw_caption(painter, line, draw_limit(painter, line));
  draw_name(painter, line);
}

void RankBarsView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  for (const Line& line : lines()) draw_line(painter, line);
  if (!hasFocus()) return;
  painter.setPen(QPen(ink(Colour::accent), 2));
  painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
}

void RankBarsView::unfold(const RankBarEntry& entry) {
  if (same_ranks(*entry.plan)) return;
  if (!unfolded_.remove(entry.key)) unfolded_.insert(entry.key);
  updateGeometry();
  update();
}

void RankBarsView::mousePressEvent(QMouseEvent* event) {
  for (const Line& line : lines()) {
    if (event->position().y() < line.top || event->position().y() >= line.top + line_height()) continue;
    if (line.first && event->position().x() < bar_left() && line.entry->subject) unfold(*line.entry);
    Q_EMIT chosen(line.entry->key);
    return;
  }
}

void RankBarsView::keyPressEvent(QKeyEvent* event) {
  if (entries_ == nullptr || entries_->empty() || event->modifiers() != Qt::NoModifier)
    return event->ignore();
  const auto at = std::find_if(entries_->begin(), entries_->end(),
                               [](const RankBarEntry& entry) { return entry.subject; });
  if (event->key() == Qt::Key_Up && at != entries_->begin()) return Q_EMIT chosen((at - 1)->key);
  if (event->key() == Qt::Key_Down && at != entries_->end() && at + 1 != entries_->end())
    return Q_EMIT chosen((at + 1)->key);
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && at != entries_->end())
    return unfold(*at);
  event->ignore();
}

bool RankBarsView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    for (const Line& line : lines())
      for (const Segment& segment : segments(line))
        if (segment.rect.contains(help->pos())) {
          QToolTip::showText(
              help->globalPos(),
              tr("%1: %2, %3 bytes")
                  .arg(segment.part.name, bytes_text(segment.part.bytes), count_text(segment.part.bytes)),
              this);
          return true;
        }
    QToolTip::hideText();
  }
  return QWidget::event(event);
}

}  // namespace pitwall::ui
