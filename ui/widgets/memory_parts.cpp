// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/memory_parts.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/widgets/words.h"

namespace pitwall::ui {

namespace {

/// WCAG relative luminance.
double luminance(const QColor& colour) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

/// Lines that lean by `lean` (run per rise) at a distance of `gap`, over the whole rectangle.
void draw_lines(QPainter& painter, const QRectF& rect, double lean, double gap) {
  const double shift = lean * rect.height();
  const double first =
      std::floor((rect.left() - std::abs(shift)) / gap) * gap;  // fixed to the page, not the part
  for (double x = first; x <= rect.right() + std::abs(shift); x += gap)
    painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + shift, rect.top()));
}

void draw_dots(QPainter& painter, const QRectF& rect, double gap) {
  for (double y = rect.top() + gap / 2; y < rect.bottom(); y += gap)
    for (double x = std::ceil(rect.left() / gap) * gap; x < rect.right(); x += gap)
      painter.drawPoint(QPointF(x, y));
}

bool is_pale(Colour colour) {
  const Theme& theme = Theme::current();
  return contrast(theme.colour(colour), theme.colour(Colour::panel)) < 3;
}

}  // namespace

QColor ink_on(Colour fill) {
  // The lightest and the darkest token: fills of the middle leave the theme's own text too little contrast.
  const QColor light = Theme::colour(Colour::panel, false), dark = Theme::colour(Colour::window, true),
               under = Theme::current().colour(fill);
  return contrast(light, under) >= contrast(dark, under) ? light : dark;
}

std::vector<MemoryPart> memory_parts(const LedgerSnapshot& ledger) {
  const Bytes workspace = ledger.of(Category::attention_workspace) + ledger.of(Category::logits) +
                          ledger.of(Category::library_workspace) + ledger.of(Category::swap);
  // A host gives pages only when they are touched: what is booked can be more than what is there.
  const bool untouched = ledger.unaccounted() < 0 && !ledger.swap_apart;
  return {
      {tr("Weights"), Colour::weights, FillPattern::solid, ledger.of(Category::weights)},
      {tr("KV used"), Colour::kv_used, FillPattern::solid, ledger.kv_used},
      {tr("KV cached"), Colour::kv_cached, FillPattern::slashes, ledger.kv_cached},
      {tr("KV quarantined"), Colour::kv_quarantined, FillPattern::crosses, ledger.kv_quarantined},
      {tr("KV free"), Colour::kv_free, FillPattern::dashed_frame, ledger.kv_free},
      {tr("Activations"), Colour::activations, FillPattern::solid, ledger.of(Category::activations)},
      {tr("Workspace"), Colour::workspace, FillPattern::bars, workspace},
      {tr("Graphs"), Colour::graphs, FillPattern::solid, ledger.of(Category::graphs)},
      {tr("Communicator"), Colour::communicator, FillPattern::solid, ledger.of(Category::communicator)},
      {tr("Context", "of the driver"), Colour::context, FillPattern::solid, ledger.of(Category::context)},
      {tr("Other processes"), Colour::other_processes, FillPattern::dots, ledger.other_processes},
      {untouched ? tr("Not touched yet") : tr("Unaccounted"), Colour::unaccounted, FillPattern::backslashes,
       ledger.unaccounted()},
  };
}

void fill_part(QPainter& painter, const QRectF& rect, const MemoryPart& part) {
  const Theme& theme = Theme::current();
  const double u = theme.u();
  painter.save();
  painter.fillRect(rect, theme.colour(part.colour));
  painter.setClipRect(rect, Qt::IntersectClip);
  painter.setRenderHint(QPainter::Antialiasing, part.pattern != FillPattern::bars);
  QColor ink = ink_on(part.colour);
  ink.setAlphaF(0.45f);
  painter.setPen(QPen(ink, 1));
  switch (part.pattern) {
    case FillPattern::slashes:
      draw_lines(painter, rect, 1, 2 * u);
      break;
    case FillPattern::backslashes:
      draw_lines(painter, rect, -1, u);
      break;
    case FillPattern::crosses:
      draw_lines(painter, rect, 1, 1.5 * u);
      draw_lines(painter, rect, -1, 1.5 * u);
      break;
    case FillPattern::bars:
      draw_lines(painter, rect, 0, u);
      break;
    case FillPattern::dots:
      painter.setPen(QPen(ink, 1.6, Qt::SolidLine, Qt::RoundCap));
      draw_dots(painter, rect, 1.25 * u);
      break;
    case FillPattern::solid:
    case FillPattern::dashed_frame:
      break;
  }
  if (is_pale(part.colour)) {
    painter.setPen(QPen(theme.colour(Colour::pale_frame), 1,
                        part.pattern == FillPattern::dashed_frame ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
  }
  painter.restore();
}

}  // namespace pitwall::ui
